import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TargetedCacheControlTests {
    @Test func `parses directives as a structured field dictionary`() throws {
        let text =
            "max-age=60, no-store=?0, must-revalidate;x=\"y\", private=\"Set-Cookie, A\", later=(1 \"b\";c), d=@5, e=:YQ==:"
        let control = try #require(CacheControl(targeted: text))
        #expect(control.maxAge == 60)
        #expect(!control.noStore)
        #expect(control.mustRevalidate)
        #expect(control.private == .fields(["set-cookie", "a"]))
    }

    @Test(arguments: [
        "", " ", "max-age =60", "max-age= 60", "MaX-aGe=60", "max-age=60, &&&&&", "max-age=60,", "max-age=60;;x",
        "max-age=60 x",
        "max-age=1234567890123456", "a=\"", "a=\"\\n\"", "a=(1 2", "a=(1,2)", "a=?2", "a=:Y!:", "a=1.", "a=1.2345",
        "=1", "1=a",
    ])
    func `counts as absent if any part is malformed`(text: String) {
        #expect(CacheControl(targeted: text) == nil)
    }

    @Test func `ignores only a directive of the wrong type, and uses the last of repeated ones`() {
        #expect(CacheControl(targeted: "max-age=\"60\", s-maxage=1.5, no-store")?.maxAge == nil)
        #expect(CacheControl(targeted: "max-age=\"60\", no-store")?.noStore == true)
        #expect(CacheControl(targeted: "max-age=1, max-age=2")?.maxAge == 2)
        #expect(CacheControl(targeted: "max-age=-5")?.maxAge == 0)
        #expect(CacheControl(targeted: "max-age=99999999999")?.maxAge == CacheControl.ceiling)
    }

    /// As in `Cache-Control`: a list that is none could name every field.
    @Test(arguments: [
        "private=\"Set-Cookie, a@b\"", "private=\"a b\"", "private=\"a\\\"b\"", "private=\"\"", "private=\", ,\"",
        "private=token/x", "private",
    ])
    func `an invalid list of field names means the whole response`(text: String) throws {
        let control = try #require(CacheControl(targeted: text))
        #expect(control.private == .whole)
        #expect(CacheControl(control.text) == control)
    }

    @Test func `overrides Cache-Control and Expires`() {
        func lifetime(_ targeted: String?) -> Int64 {
            let lines =
                ["Cache-Control: max-age=5", "Expires: Sun, 06 Nov 1994 09:49:37 GMT"]
                + (targeted.map { ["CDN-Cache-Control: \($0)"] } ?? [])
            return ResponsePolicy(
                ResponsePolicy.Request(isGet: true, isAuthorized: false, noStore: false),
                status: 200,
                fields: FieldLines(lines.compactMap { FieldLine(line: $0.utf8) }),
                requestTime: 784_111_777,
                responseTime: 784_111_777,
                bounds: ResponsePolicy.Bounds(defaultLifetime: 7)
            )
            .freshness.lifetime
        }
        #expect(lifetime("max-age=60") == 60)
        #expect(lifetime("public") == 7)
        #expect(lifetime("max-age = 60") == 5)
        #expect(lifetime(nil) == 5)
    }

    @Test func `round-trips through its text`() throws {
        let text = "max-age=60, private=\"Set-Cookie, A\", no-cache, must-revalidate, stale-if-error=5"
        let control = try #require(CacheControl(targeted: text))
        #expect(CacheControl(control.text) == control)
        #expect(CacheControl().text.isEmpty)
    }
}
