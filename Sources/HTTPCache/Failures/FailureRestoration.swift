/// Changes made while the previous run's failures are being read; these changes take precedence.
struct FailureRestoration: Sendable {
    var keys: Set<CacheKey> = []
    var origins: Set<CacheKey> = []
    var purges: [PurgeSelection] = []

    func allows(_ failure: KeptFailure, _ subject: PurgeSubject) -> Bool {
        !keys.contains(failure.key) && !(origins.contains(failure.origin) && failure.key != failure.origin)
            && purges.allSatisfy { $0.covers(subject) == false }
    }
}
