package import HTTPSemantics

/// The cache status of failures.
extension PipelineError {
    /// The failure without its cache status.
    package var bare: PipelineError {
        if case .after(_, let error) = self { error.bare } else { self }
    }

    /// The failure for a waiter that joined another request's flight.
    var collapsed: PipelineError {
        guard case .after(let status, let error) = self else { return self }
        return .after(status.collapsed, error)
    }

    /// Whether the content exceeded the limit of bytes.
    package var isOverLimit: Bool { if case .sourceTooLarge = self { true } else { false } }

    /// Adds the status of a request to the origin, unless the failure preceded it.
    package func after(asking reason: CacheStatus.Reason) -> PipelineError {
        switch self {
        case .originStatus(let status): .after(.forwarded(reason, status: status, collapsed: false), self)
        // Only the content of a 200 is examined.
        case .sourceTooLarge, .undecryptable, .notAnImage:
            .after(.forwarded(reason, status: 200, collapsed: false), self)
        case .originNotFound, .originUnreachable, .originTimeout, .originProtocol:
            .after(.forwarded(reason, status: nil, collapsed: false), self)
        default: self
        }
    }
}

extension CacheStatus {
    /// Creates the status of a failure's response; `nil` for a remembered failure.
    package init?(_ error: PipelineError) {
        switch error {
        case .after(let status, _): self = status
        case .remembered: return nil
        case .notCached: self = .unasked(.onlyIfCached)
        case .circuitOpen: self = .unasked(.breakerOpen)
        case .sourceSuspended: self = .unasked(.suspended)
        case .sourceOffline: self = .unasked(.offline)
        case .outOfTouch: self = .unasked(.outOfTouch)
        case .overloaded, .workerLost, .cancelled: self = .unasked(.overloaded)
        case .auxiliary(_, let error): self.init(error)
        default: self = .unasked(.refused)
        }
    }
}
