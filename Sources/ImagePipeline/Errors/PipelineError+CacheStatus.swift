package import HTTPSemantics

/// What failures say of the cache's part in them.
extension PipelineError {
    /// The failure without what the cache had done.
    package var bare: PipelineError {
        if case .after(_, let error) = self { error.bare } else { self }
    }

    /// The same for a waiter that joined the flight of another.
    var collapsed: PipelineError {
        guard case .after(let status, let error) = self else { return self }
        return .after(status.collapsed, error)
    }

    /// Whether the content was over the limit of bytes.
    package var isOverLimit: Bool { if case .sourceTooLarge = self { true } else { false } }

    /// The same after the origin was asked; what failed before it could be asked stays as it is.
    package func after(asking reason: CacheStatus.Reason) -> PipelineError {
        switch self {
        case .originStatus(let status): .after(.forwarded(reason, status: status, collapsed: false), self)
        // Only the content of a 200 is looked at.
        case .sourceTooLarge, .notAnImage: .after(.forwarded(reason, status: 200, collapsed: false), self)
        case .originNotFound, .originUnreachable, .originTimeout, .originProtocol:
            .after(.forwarded(reason, status: nil, collapsed: false), self)
        default: self
        }
    }
}

extension CacheStatus {
    /// What the answer with a failure tells; `nil` where the failure itself says that it is a stored one.
    package init?(_ error: PipelineError) {
        switch error {
        case .after(let status, _): self = status
        case .remembered: return nil
        case .notCached: self = .unasked(.onlyIfCached)
        case .overloaded, .workerLost, .cancelled: self = .unasked(.overloaded)
        case .ingredient(_, let error): self.init(error)
        default: self = .unasked(.refused)
        }
    }
}
