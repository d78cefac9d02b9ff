/// What a failure means: for the cache, for the next try, and for what is answered in its place.
package struct FailureTraits: Hashable, Sendable {
    /// The class under which it is remembered; `nil` where it says nothing about the next try.
    package var failureClass: FailureClass?
    /// Whether a stale response may be served in its place (RFC 5861 §4).
    package var allowsStale = false
    /// Whether the origin says that there is nothing any more.
    package var saysGone = false
    /// Whether the origin denies the client what is there.
    package var isDenial = false
    /// Whether the original is to blame, so that another picture may be shown in its place; else the request is, or load that passes.
    package var isOriginFault = false
    /// Whether another try with the same bytes would fail the same way.
    package var isPermanent = false
    /// Whether another output of the same job may have caused it, so that each is tried alone.
    package var isRetryableAlone = false

    /// Creates traits; those of a failure that means nothing beyond its request where nothing is given.
    package init(
        failureClass: FailureClass? = nil,
        allowsStale: Bool = false,
        saysGone: Bool = false,
        isDenial: Bool = false,
        isOriginFault: Bool = false,
        isPermanent: Bool = false,
        isRetryableAlone: Bool = false
    ) {
        self.failureClass = failureClass
        self.allowsStale = allowsStale
        self.saysGone = saysGone
        self.isDenial = isDenial
        self.isOriginFault = isOriginFault
        self.isPermanent = isPermanent
        self.isRetryableAlone = isRetryableAlone
    }
}
