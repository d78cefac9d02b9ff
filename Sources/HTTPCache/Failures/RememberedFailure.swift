/// A failure that is remembered, as operators see it.
package struct RememberedFailure<Failure: CacheFailure>: Hashable, Sendable {
    /// What failed: the URL that was asked, with the plan where it was the making of one variant that failed.
    package var url: String
    package var plan: String?
    package var source: String
    package var kind: FailureClass
    package var error: Failure
    /// How many there were in a row.
    package var failures: Int
    /// Seconds until the next try; 0 once one may be made.
    package var secondsLeft: Int64
    /// Whether one is under way.
    package var isBeingTried: Bool
}
