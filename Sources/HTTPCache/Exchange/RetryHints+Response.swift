import HTTPSemantics

extension RetryHints {
    /// Reads the hints from a response's fields.
    init(_ response: FetchedResponse) {
        self.init(lifetime: response.statedLifetime)
        retryAfter = response.fields["retry-after"].flatMap { text in
            Int64(text).map { max(0, $0) }
                ?? HTTPDate(text, now: response.responseTime).map { max(0, $0.seconds - response.responseTime) }
        }
    }
}

extension FetchedResponse {
    /// The remaining lifetime in seconds that the response states for a shared cache, from its arrival; `nil` if it states none.
    fileprivate var statedLifetime: Int64? {
        let policy = ResponsePolicy(
            ResponsePolicy.Request(isGet: true, isAuthorized: false, noStore: false),
            status: status,
            fields: fields,
            requestTime: requestTime,
            responseTime: responseTime,
            bounds: ResponsePolicy.Bounds(defaultLifetime: 0, missingLifetime: 0)
        )
        let control = policy.control
        if control.noStore || control.private == .whole || control.noCache == .whole { return 0 }
        guard policy.statesLifetime else { return nil }
        return max(0, policy.freshness.lifetime - policy.freshness.initialAge)
    }
}
