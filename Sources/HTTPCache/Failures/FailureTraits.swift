/// Properties of a failure that decide how it is cached, when it is retried, and what is served instead.
package struct FailureTraits: Hashable, Sendable {
    /// The class under which the failure is remembered; `nil` if it does not predict the next attempt.
    package var failureClass: FailureClass?
    /// Whether a stale response may be served in its place (RFC 5861 §4).
    package var allowsStale = false
    /// Whether the origin is deliberately not asked: any stale response may be served in its place unless its directives forbid
    /// stale use (RFC 9111 §4.2.4, "disconnected").
    package var isDisconnection = false
    /// Whether the origin states that the resource no longer exists.
    package var saysGone = false
    /// Whether the origin denies the client access to the resource.
    package var isDenial = false
    /// Whether the original caused the failure, so that a fallback may be served; otherwise the request or temporary load did.
    package var isOriginFault = false
    /// Whether this server has no room for the work: the same request succeeds once the load is lower.
    package var isOverload = false
    /// Whether a retry with the same bytes would fail in the same way.
    package var isPermanent = false
    /// Whether another output of the same job may have caused the failure, so that each output is retried alone.
    package var isRetryableAlone = false
    /// Whether the cost of the work caused the failure, so that it predicts that of other work of at least this cost.
    package var isCostDependent = false

    /// Creates traits; the defaults describe a failure that affects only its own request.
    package init(
        failureClass: FailureClass? = nil,
        allowsStale: Bool = false,
        isDisconnection: Bool = false,
        saysGone: Bool = false,
        isDenial: Bool = false,
        isOriginFault: Bool = false,
        isOverload: Bool = false,
        isPermanent: Bool = false,
        isRetryableAlone: Bool = false,
        isCostDependent: Bool = false
    ) {
        self.failureClass = failureClass
        self.allowsStale = allowsStale
        self.isDisconnection = isDisconnection
        self.saysGone = saysGone
        self.isDenial = isDenial
        self.isOriginFault = isOriginFault
        self.isOverload = isOverload
        self.isPermanent = isPermanent
        self.isRetryableAlone = isRetryableAlone
        self.isCostDependent = isCostDependent
    }
}
