import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ResponsePolicyTests {
    static let now: Int64 = 784_111_777
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func policy(
        _ lines: [String],
        status: Int = 200,
        isGet: Bool = true,
        isAuthorized: Bool = false,
        noStore: Bool = false
    ) -> ResponsePolicy {
        ResponsePolicy(
            ResponsePolicy.Request(isGet: isGet, isAuthorized: isAuthorized, noStore: noStore),
            status: status,
            fields: FieldLines(lines.compactMap { FieldLine(line: $0.utf8) }),
            requestTime: Self.now,
            responseTime: Self.now
        )
    }

    @Test(
        arguments: [
            ([], 200, true), ([], 201, false), ([], 302, false), ([], 404, true), ([], 503, false), ([], 599, false),
            (["Cache-Control: max-age=1"], 302, true), (["Expires: \(date)"], 503, true),
            (["Cache-Control: public"], 599, true),
            (["Cache-Control: max-age=1"], 206, false), (["Cache-Control: max-age=1"], 304, false),
            (["Cache-Control: no-store, max-age=1"], 200, false), (["Cache-Control: private"], 200, false),
            (["Cache-Control: private=\"set-cookie\""], 200, true),
            (["Cache-Control: no-store, must-understand, max-age=1"], 200, true),
            (["Cache-Control: no-store, must-understand, max-age=1"], 299, false),
            (["Cache-Control: no-store", "CDN-Cache-Control: max-age=1"], 200, true),
            (["Cache-Control: max-age=1", "CDN-Cache-Control: no-store"], 200, false),
            (["Cache-Control: no-store", "CDN-Cache-Control: max-age=1, &"], 200, false),
        ] as [([String], Int, Bool)]
    )
    func `stores what a shared cache may store`(lines: [String], status: Int, isStorable: Bool) {
        #expect(policy(lines, status: status).isStorable == isStorable)
        #expect(!policy(lines, status: status, isGet: false).isStorable)
        #expect(!policy(lines, status: status, noStore: true).isStorable)
    }

    @Test(arguments: [
        ("max-age=60", false), ("max-age=60, public", true), ("max-age=60, must-revalidate", true),
        ("s-maxage=60", true),
        ("max-age=60, proxy-revalidate", false),
    ])
    func `stores responses to authorized requests only if they allow it`(control: String, isStorable: Bool) {
        #expect(policy(["Cache-Control: \(control)"], isAuthorized: true).isStorable == isStorable)
    }

    @Test(
        arguments: [
            (200, [], 1_000), (404, [], 1_000), (201, [], 0), (503, [], 0), (599, ["Cache-Control: public"], 1_000),
            (200, ["Cache-Control: max-age=5"], 5), (200, ["Expires: 0"], 0), (200, ["Expires: \(date)"], 0),
        ] as [(Int, [String], Int64)]
    )
    func `uses the heuristic lifetime only if none is stated`(status: Int, lines: [String], lifetime: Int64) {
        let modified = ["Date: \(Self.date)", "Last-Modified: Sun, 06 Nov 1994 06:02:57 GMT"]
        #expect(policy(modified + lines, status: status).freshness.lifetime == lifetime)
    }

    @Test func `the heuristic lifetime is at most a day, and none for an invalid or future date`() {
        let date = "Date: \(Self.date)"
        #expect(policy([date, "Last-Modified: Sun, 06 Nov 1983 08:49:37 GMT"]).freshness.lifetime == 86_400)
        #expect(policy([date, "Last-Modified: yesterday"]).freshness.lifetime == 0)
        #expect(policy([date, "Last-Modified: Sun, 06 Nov 1995 08:49:37 GMT"]).freshness.lifetime == 0)
        #expect(policy([]).freshness.lifetime == 0)
    }

    @Test func `accounts for the received age`() {
        let policy = policy(["Cache-Control: max-age=60", "Age: 50"])
        #expect(policy.freshness.isFresh(at: Self.now + 9))
        #expect(!policy.freshness.isFresh(at: Self.now + 10))
    }

    @Test func `fields by which a server has its proxy send something else are not passed on`() {
        let lines = [
            "X-Accel-Redirect: /a", "x-sendfile: /etc/passwd", "X-LiteSpeed-Location: /a", "X-Reproxy-URL: http://a/",
        ]
        let fields = FieldLines((lines + ["X-Accel-Buffering: no"]).compactMap { FieldLine(line: $0.utf8) }).endToEnd
        #expect(fields.lines.map(\.name) == ["X-Accel-Buffering"])
    }

    @Test func `hop-by-hop fields are dropped, and lines keep their bytes`() throws {
        let lines = ["Connection: a, close", "A: 1", "B: 2", "Keep-Alive: 5", "TE: x", "Upgrade: y", "b: 3"]
        let fields = FieldLines(lines.compactMap { FieldLine(line: $0.utf8) }).endToEnd
        #expect(fields.lines.map(\.name) == ["B", "b"])
        #expect(fields["b"] == "2, 3")
        #expect(FieldLine("a b", "x") == nil)
        #expect(FieldLine("a", "x\r\ny: z") == nil)
        #expect(FieldLine(name: "a", value: [0x20, 0xFC, 0x09])?.value == [0xFC])
    }
}
