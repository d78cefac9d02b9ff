import HTTPCache
import ImagePlan

extension OriginState {
    /// Returns the terms under which responses may be reused.
    ///
    /// - Parameter source: the rule with the defaults for directives that the origin did not send.
    func terms(for source: SourceRule, at now: Int64) -> ReuseTerms {
        terms(staleWhileRevalidate: source.staleWhileRevalidate, at: now)
    }
}
