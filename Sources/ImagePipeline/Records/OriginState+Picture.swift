import HTTPCache
import ImagePlan

extension OriginState {
    /// What decides whether answers may be reused.
    ///
    /// - Parameter source: the rule whose settings count where the origin says nothing.
    func terms(for source: SourceRule, at now: Int64) -> ReuseTerms {
        terms(staleWhileRevalidate: source.staleWhileRevalidate, at: now)
    }
}
