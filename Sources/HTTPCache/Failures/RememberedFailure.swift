/// A remembered failure, for display to operators.
package struct RememberedFailure<Failure: CacheFailure>: Hashable, Sendable {
    /// The requested URL; `plan` is set if only the making of one variant failed.
    package var url: String
    package var plan: String?
    /// The class of work that the failure applies to, in words; `nil` if it applies to one request.
    package var work: String?
    package var source: String
    package var kind: FailureClass
    package var error: Failure
    /// The number of consecutive failures.
    package var failures: Int
    /// Seconds until the next attempt is allowed; 0 if it is allowed now.
    package var secondsLeft: Int64
    /// Whether an attempt is in progress.
    package var isBeingTried: Bool
}
