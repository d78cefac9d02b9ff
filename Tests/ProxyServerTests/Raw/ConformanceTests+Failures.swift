import Testing

extension ConformanceTests {
    @Test(arguments: CacheRig.Kind.allCases)
    func `stale responses replace failures if either side allows it and the origin does not forbid it`(
        kind: CacheRig.Kind
    )
        throws
    {
        func failed(_ source: CacheCase.Step.Source = .origin, status: Int, body: String? = nil) -> CacheCase.Step {
            CacheCase.Step(origin: ("503 x", [], "down"), source: source, status: status, body: body)
        }
        let stale = "Age: 90"
        try run(
            through: kind,
            [
                CacheCase(
                    "stale-if-error of the source",
                    .first("Cache-Control: max-age=60", stale),
                    failed(status: 200, body: "one")
                ),
                CacheCase(
                    "aborted response while stale",
                    .first("Cache-Control: max-age=60", stale),
                    CacheCase.Step(origin: nil, source: nil, body: "one")
                ),
                CacheCase(
                    "must-revalidate during a failure",
                    .first("Cache-Control: max-age=60, must-revalidate", stale),
                    failed(status: 503)
                ),
                CacheCase(
                    "proxy-revalidate",
                    .first("Cache-Control: max-age=60, proxy-revalidate", stale),
                    failed(status: 503)
                ),
                CacheCase(
                    "s-maxage during a failure",
                    .first("Cache-Control: s-maxage=60", stale),
                    failed(status: 503)
                ),
                CacheCase(
                    "stale-if-error of the origin",
                    .first("Cache-Control: max-age=60, stale-if-error=10", stale),
                    failed(status: 503)
                ),
            ],
            source: ", stale-if-error: 2m"
        )
    }
}
