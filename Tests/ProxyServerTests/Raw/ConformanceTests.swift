import TestSupport
import Testing
import LinuxSystem

/// Requirements of RFC 9111 and related RFCs on a shared cache, tested against the real daemon.
///
/// A transcription of the cases of the public suite (http-tests/cache-tests), for CI, which has no checkout of that suite;
/// `scripts/try-conformance` runs the suite itself. The cases run through a raw source and, as far as they apply, through an
/// image source, with images in place of texts (`PictureConformance`).
@Suite(.timeLimit(.minutes(1)))
struct ConformanceTests {
    private func run(through kind: CacheRig.Kind, _ cases: [CacheCase], source: String = "") throws {
        let rig = try CacheRig(kind, source: source)
        for (number, test) in cases.enumerated() {
            guard kind == .raw || PictureConformance.notAsked[test.name] == nil else { continue }
            for complaint in try rig.run(test, number: number) { Issue.record("\(kind): \(complaint)") }
        }
    }

    @Test func `Tests/README.md lists each case that does not apply to an image source`() throws {
        let rows = try MarkdownTable(in: "Tests/README.md", below: "## Conformance").rows
        let named = rows.map { row in "\(row[0]): \(row[1])" }
        #expect(named == PictureConformance.notAsked.map { "\($0.key): \($0.value.rawValue)" }.sorted())
    }

    @Test(arguments: CacheRig.Kind.allCases)
    func `freshness is computed from the origin's fields only`(kind: CacheRig.Kind) throws {
        try run(
            through: kind,
            [
                CacheCase("no freshness fields", .first(), .miss()),
                CacheCase("max-age", .first("Cache-Control: max-age=60"), .hit(has: ["Age: 0"])),
                CacheCase("max-age=0", .first("Cache-Control: max-age=0"), .miss()),
                CacheCase("s-maxage overrides max-age", .first("Cache-Control: max-age=0, s-maxage=60"), .hit()),
                CacheCase("s-maxage=0", .first("Cache-Control: max-age=60, s-maxage=0"), .miss()),
                CacheCase("Age reaches max-age", .first("Cache-Control: max-age=60", "Age: 60"), .miss()),
                CacheCase("Age below max-age", .first("Cache-Control: max-age=60", "Age: 40"), .hit()),
                CacheCase(
                    "old Date",
                    .first("Cache-Control: max-age=60", "Date: Tue, 15 Nov 1994 08:12:31 GMT"),
                    .miss()
                ),
                CacheCase("Expires", .first("Expires: Fri, 01 Jan 2100 00:00:00 GMT"), .hit()),
                CacheCase("Expires in the past", .first("Expires: Tue, 15 Nov 1994 08:12:31 GMT"), .miss()),
                CacheCase("invalid Expires", .first("Expires: 0"), .miss()),
                CacheCase("max-age overrides Expires", .first("Cache-Control: max-age=60", "Expires: 0"), .hit()),
                CacheCase("heuristic freshness", .first("Last-Modified: Tue, 15 Nov 1994 08:12:31 GMT"), .hit()),
                CacheCase(
                    "no heuristic freshness for 503",
                    .first("Last-Modified: Tue, 15 Nov 1994 08:12:31 GMT", status: "503 x"),
                    .miss()
                ),
                CacheCase(
                    "CDN-Cache-Control permits",
                    .first("Cache-Control: no-store", "CDN-Cache-Control: max-age=60"),
                    .hit()
                ),
                CacheCase(
                    "CDN-Cache-Control forbids",
                    .first("Cache-Control: max-age=60", "CDN-Cache-Control: no-store"),
                    .miss()
                ),
                CacheCase(
                    "malformed CDN-Cache-Control",
                    .first("Cache-Control: max-age=60", "CDN-Cache-Control: max-age=0, &"),
                    .hit()
                ),
            ]
        )
    }

    @Test(arguments: CacheRig.Kind.allCases)
    func `stores storable responses of any status`(kind: CacheRig.Kind) throws {
        let fresh = "Cache-Control: max-age=60"
        try run(
            through: kind,
            [
                CacheCase("no-store", .first("\(fresh), no-store"), .miss()),
                CacheCase("private", .first("\(fresh), private"), .miss()),
                CacheCase("404", .first(fresh, status: "404 x"), .hit(status: 404)),
                CacheCase(
                    "302",
                    .first(fresh, "Location: /y", status: "302 x"),
                    .hit(status: 302, has: ["Location: /y"])
                ),
                CacheCase("500", .first(fresh, status: "500 x"), .hit(status: 500)),
                CacheCase("599", .first(fresh, status: "599 x"), .hit(status: 599)),
                CacheCase("request no-store", .first(fresh, to: ["Cache-Control: no-store"]), .miss()),
                CacheCase("request Authorization", .first(fresh, to: ["Authorization: x"]), .miss()),
                CacheCase(
                    "request Authorization, public",
                    .first("\(fresh), public", to: ["Authorization: x"]),
                    .hit()
                ),
                CacheCase(
                    "cookies",
                    .first(fresh, "Set-Cookie: a=b", "Set-Cookie: c=d"),
                    .hit("Cookie: e=f", has: ["Set-Cookie: c=d"])
                ),
                CacheCase(
                    "private field",
                    .first("\(fresh), private=\"Secret\"", "Secret: 1", "B: 2"),
                    .hit(has: ["B: 2"], lacks: ["Secret"])
                ),
                CacheCase(
                    "no-cache field",
                    .first("\(fresh), no-cache=\"Secret\"", "Secret: 1", "B: 2"),
                    .hit(has: ["B: 2"], lacks: ["Secret"])
                ),
                CacheCase(
                    "connection fields",
                    .first(fresh, "Connection: A, keep-alive", "A: 1", "Upgrade: z", "B: 2"),
                    .hit(has: ["B: 2"], lacks: ["A", "Upgrade"])
                ),
                CacheCase(
                    "other fields are kept",
                    .first(fresh, "Expires: Fri, 01 Jan 2100 00:00:00 GMT", "X: \u{FC}"),
                    .hit(has: ["X: \u{FC}"])
                ),
            ]
        )
    }

    @Test(arguments: CacheRig.Kind.allCases)
    func `validates with both validators, and updates from a 304`(kind: CacheRig.Kind) throws {
        let stale = ["Cache-Control: max-age=60", "Age: 90"]
        let validators = ["ETag: \"a\"", "Last-Modified: Tue, 15 Nov 1994 08:12:31 GMT"]
        try run(
            through: kind,
            [
                CacheCase(
                    "renewed",
                    .first(stale[0], stale[1], validators[0], validators[1], "A: 1", "B: 1"),
                    .confirmed(answer: ["Cache-Control: max-age=60", "ETag: \"a\"", "A: 2"], has: ["A: 2", "B: 1"]),
                    .hit(has: ["A: 2", "B: 1", "ETag: \"a\""])
                ),
                CacheCase(
                    "replaced",
                    .first(stale[0], stale[1], validators[0]),
                    .miss(answer: ["Cache-Control: max-age=60"]),
                    .hit(body: "two")
                ),
                CacheCase("no-cache", .first("Cache-Control: no-cache", validators[0]), .confirmed(), .confirmed()),
                CacheCase(
                    "request no-cache",
                    .first("Cache-Control: max-age=60", validators[1]),
                    .confirmed("Cache-Control: no-cache")
                ),
                CacheCase(
                    "condition of a stale response",
                    .first(stale[0], stale[1], validators[0]),
                    .confirmed("If-None-Match: \"a\"", status: 304)
                ),
                CacheCase(
                    "condition with a matching tag",
                    .first("Cache-Control: max-age=60", validators[0]),
                    .hit("If-None-Match: \"z\", W/\"a\"", status: 304, body: "", has: [validators[0]])
                ),
                CacheCase(
                    "condition with another tag",
                    .first("Cache-Control: max-age=60", validators[0]),
                    .hit("If-None-Match: \"b\"")
                ),
                CacheCase(
                    "condition with a date",
                    .first("Cache-Control: max-age=60", validators[1]),
                    .hit("If-Modified-Since: Tue, 15 Nov 1994 08:12:31 GMT", status: 304, body: "")
                ),
                CacheCase(
                    "must-revalidate",
                    .first("Cache-Control: max-age=60, must-revalidate", stale[1], validators[0]),
                    .confirmed("Cache-Control: max-stale")
                ),
            ]
        )
    }

    @Test(arguments: CacheRig.Kind.allCases)
    func `honours request directives`(kind: CacheRig.Kind) throws {
        let aged = ["Cache-Control: max-age=60", "Age: 40"]
        try run(
            through: kind,
            [
                CacheCase("request max-age", .first(aged[0], aged[1]), .miss("Cache-Control: max-age=30")),
                CacheCase("request max-age not exceeded", .first(aged[0], aged[1]), .hit("Cache-Control: max-age=50")),
                CacheCase("request min-fresh", .first(aged[0], aged[1]), .miss("Cache-Control: min-fresh=30")),
                CacheCase("request max-stale", .first(aged[0], "Age: 90"), .hit("Cache-Control: max-stale=60")),
                CacheCase("request pragma", .first(aged[0]), .miss("Pragma: no-cache")),
                CacheCase(
                    "request only-if-cached",
                    CacheCase.Step(request: ["Cache-Control: only-if-cached"], source: .cache, status: 504),
                    .first(aged[0]),
                    .hit("Cache-Control: only-if-cached")
                ),
            ]
        )
    }

    @Test(arguments: CacheRig.Kind.allCases)
    func `serves ranges of a whole response, and of a stored part with a strong validator`(kind: CacheRig.Kind) throws {
        let fresh = "Cache-Control: max-age=60"
        try run(
            through: kind,
            [
                CacheCase(
                    "range of a stored response",
                    .first(fresh),
                    .hit("Range: bytes=1-1", status: 206, body: "n", has: ["Content-Range: bytes 1-1/3"])
                ),
                CacheCase("range beyond the end", .first(fresh), .hit("Range: bytes=99999-", status: 416, body: "")),
                CacheCase(
                    "If-Range with another tag",
                    .first(fresh, "ETag: \"a\""),
                    .hit("Range: bytes=1-1", "If-Range: \"b\"")
                ),
                CacheCase(
                    "partial response",
                    .first(fresh, "Content-Range: bytes 0-2/9", status: "206 x", to: ["Range: bytes=0-2"]),
                    .miss()
                ),
                CacheCase(
                    "a stored part",
                    .first(
                        fresh,
                        "ETag: \"a\"",
                        "Content-Range: bytes 0-2/9",
                        status: "206 x",
                        to: ["Range: bytes=0-2", "Cache-Control: no-cache"]
                    ),
                    .hit("Range: bytes=1-1", status: 206, body: "n", has: ["Content-Range: bytes 1-1/9"]),
                    CacheCase.Step(
                        origin: ("206 x", [fresh, "ETag: \"a\"", "Content-Range: bytes 3-8/9"], " whole"),
                        source: .validated,
                        body: "one whole",
                        lacks: ["Content-Range"]
                    ),
                    .hit(body: "one whole")
                ),
                CacheCase("aborted response", CacheCase.Step(origin: nil, source: nil, status: 502), .miss()),
            ]
        )
    }

    @Test(arguments: CacheRig.Kind.allCases)
    func `keeps variants apart`(kind: CacheRig.Kind) throws {
        let fresh = ["Cache-Control: max-age=60", "Vary: Foo, Bar"]
        try run(
            through: kind,
            [
                CacheCase(
                    "equal Vary fields",
                    .first(fresh[0], fresh[1], to: ["Foo: 1", "Bar: 2"]),
                    .hit("Bar: 2", "Foo: 1")
                ),
                CacheCase(
                    "different Vary field",
                    .first(fresh[0], fresh[1], to: ["Foo: 1"]),
                    .miss("Foo: 2", answer: fresh),
                    .hit("Foo: 1"),
                    .hit("Foo: 2", body: "two")
                ),
                CacheCase(
                    "languages",
                    .first(fresh[0], "Vary: Accept-Language", to: ["Accept-Language: en, de"]),
                    .hit("Accept-Language: DE,en;q=1.0"),
                    .miss("Accept-Language: de, en;q=0.9", answer: [fresh[0], "Vary: Accept-Language"])
                ),
                CacheCase("missing Vary field", .first(fresh[0], fresh[1], to: ["Foo: 1"]), .miss()),
                CacheCase("Vary: *", .first(fresh[0], "Vary: Foo, *"), .miss()),
            ]
        )
    }

    @Test(arguments: CacheRig.Kind.allCases)
    func `unsafe methods invalidate their target and the URLs that the response names`(kind: CacheRig.Kind) throws {
        let fresh = "Cache-Control: max-age=60"
        func change(_ method: String, _ status: String = "200 OK", _ fields: [String] = [], suffix: String = "")
            -> CacheCase.Step
        {
            CacheCase.Step(
                method: method,
                suffix: suffix,
                origin: (status, fields, "done"),
                source: .origin,
                status: Int(status.prefix(3)) ?? 0
            )
        }
        var cases = ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"].flatMap { method in
            [
                CacheCase(method, .first(fresh), change(method), .miss()),
                CacheCase("failed \(method)", .first(fresh), change(method, "500 x"), .hit()),
            ]
        }
        for name in ["Location", "Content-Location"] {
            let number = cases.count
            cases.append(
                CacheCase(
                    name,
                    .first(fresh),
                    change("POST", "201 x", ["\(name): /case-\(number)"], suffix: "/b"),
                    .miss()
                )
            )
            cases.append(
                CacheCase(
                    "\(name) of another origin",
                    .first(fresh),
                    change("POST", "201 x", ["\(name): http://127.0.0.2/case-\(number + 1)"], suffix: "/b"),
                    .hit()
                )
            )
        }
        cases.append(CacheCase("safe method", .first(fresh), change("OPTIONS"), .hit()))
        let own = ["Cache-Control: max-age=60", "Content-Location: /case-\(cases.count)"]
        cases.append(
            CacheCase("POST with the new state", .first(fresh), change("POST", "200 OK", own), .hit(body: "done"))
        )
        try run(through: kind, cases)
    }

    @Test(arguments: CacheRig.Kind.allCases)
    func `HEAD is served from a stored GET, and updates it`(kind: CacheRig.Kind) throws {
        let fresh = "Cache-Control: max-age=60"
        try run(
            through: kind,
            [
                CacheCase(
                    "HEAD from the cache",
                    .first(fresh),
                    CacheCase.Step(method: "HEAD", source: .cache, body: "", has: ["Content-Length: 3"])
                ),
                CacheCase(
                    "HEAD updates",
                    .first(fresh, "Age: 90", "A: 1"),
                    CacheCase.Step(
                        method: "HEAD",
                        origin: ("200 OK", [fresh, "A: 2"], ""),
                        source: .origin,
                        body: "",
                        has: ["A: 2"]
                    ),
                    .hit(has: ["A: 2"])
                ),
                CacheCase(
                    "HEAD reveals a change",
                    .first("Cache-Control: max-age=60", "Age: 30", "ETag: \"a\""),
                    CacheCase.Step(
                        method: "HEAD",
                        request: ["Cache-Control: max-age=1"],
                        origin: ("200 OK", [fresh, "ETag: \"b\""], ""),
                        source: nil,
                        body: ""
                    ),
                    .miss()
                ),
            ]
        )
    }

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
