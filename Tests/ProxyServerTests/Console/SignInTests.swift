import TestSupport
import Testing

/// Signing in to the admin listener with a form, over HTTP.
@Suite(.timeLimit(.minutes(1)))
struct SignInTests {
    private let daemon: DaemonProcess
    private let folder: TemporaryFolder
    private let page = [("Accept", "text/html,application/xhtml+xml;q=0.9")]
    private static let token = "letmeinplease"

    init() throws {
        folder = try TemporaryFolder()
        daemon = try DaemonProcess(
            "cache: { path: \"\(folder.path)/cache\" }\n",
            in: folder,
            listeners: "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: \(Self.token) }\n"
        )
    }

    private func get(_ target: String, _ fields: [(String, String)] = []) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.admin).get(target, fields)
    }

    private func post(
        _ target: String,
        _ body: String,
        _ fields: [(String, String)] = [("Origin", "http://127.0.0.1:8081")]
    ) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: daemon.admin)
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        try client.send(
            "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:8081\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try client.readResponse()
    }

    /// Signs in; the `Cookie` field of the session.
    private func signIn() throws -> (String, String) {
        let answer = try post("/login", "token=\(Self.token)&next=%2Fplayground")
        #expect(answer.status == 303 && answer["Location"] == "/playground", "\(answer)")
        let cookie = try #require(answer["Set-Cookie"])
        return ("Cookie", "other=1; " + cookie.prefix { $0 != ";" })
    }

    @Test func `browsers get the form, other clients a problem`() throws {
        for target in ["/", "/playground", "/stats", "/nothing"] {
            let form = try get(target, page)
            #expect(form.status == 401 && form.text.contains("<form"), "\(target)")
            #expect(form["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true)
        }
        let problem = try get("/stats")
        #expect(problem.status == 401 && problem["Content-Type"] == "application/problem+json")
    }

    @Test func `without a token only the form's style and icon are sent`() throws {
        #expect(try get("/assets/console.css").status == 200)
        #expect(try get("/assets/icon.svg").status == 200)
        #expect(try get("/assets/live.js").status == 401)
        #expect(try get("/live").status == 401)
        #expect(try get("/healthz").status == 200)
    }

    @Test func `a session has the rights of the token`() throws {
        let cookie = try signIn()
        #expect(try get("/", [cookie]).status == 200)
        #expect(try get("/stats", [cookie]).status == 200)
        #expect(try get("/assets/live.js", [cookie]).status == 200)
        #expect(try get("/nothing", [cookie]).status == 404)
        let origin = ("Origin", "http://127.0.0.1:8081")
        #expect(try post("/purge", "{\"all\":true,\"dry\":true}", [cookie, origin]).status == 200)
    }

    @Test func `a changing request must come from a page of this server`() throws {
        let cookie = try signIn()
        let body = "{\"all\":true}"
        #expect(try post("/purge", body, [cookie]).status == 403)
        for origin in ["https://evil.example", "null", "http://127.0.0.1:9999"] {
            #expect(try post("/purge", body, [cookie, ("Origin", origin)]).status == 403, "\(origin)")
        }
        let own = ("Origin", "http://127.0.0.1:8081")
        #expect(try post("/purge", body, [cookie, own, ("Sec-Fetch-Site", "same-site")]).status == 403)
        #expect(try post("/purge", body, [cookie, ("Sec-Fetch-Site", "same-origin")]).status == 200)
        #expect(try post("/purge", body, [("Authorization", "Bearer \(Self.token)")]).status == 200)
        // A page of another port of the host, whose requests have the cookie.
        #expect(try get("/stats", [cookie, ("Sec-Fetch-Site", "same-site")]).status == 401)
    }

    @Test func `a wrong token, a foreign form and a wrong cookie do not sign in`() throws {
        let wrong = try post("/login", "token=letmein&next=/")
        #expect(wrong.status == 401 && wrong["Set-Cookie"] == nil && wrong.text.contains("The token is wrong."))
        let foreign = try post("/login", "token=\(Self.token)", [("Origin", "https://evil.example")])
        #expect(foreign.status == 403 && foreign["Set-Cookie"] == nil)
        #expect(try post("/login", "token=\(Self.token)", []).status == 403)
        #expect(try get("/stats", [("Cookie", "edgeprint-session=9999999999.AAAA")]).status == 401)
    }

    @Test(arguments: ["https://evil.example/", "//evil.example", "/\\evil", "/a?b=c", "/login", "", "/a\r\nX: y"])
    func `signing in never leads to another server`(next: String) throws {
        let encoded = next.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let answer = try post("/login", "token=\(Self.token)&next=\(encoded)")
        #expect(answer.status == 303 && answer["Location"] == "/", "\(answer)")
    }

    @Test func `signing out ends the session`() throws {
        let cookie = try signIn()
        let out = try post("/logout", "", [cookie, ("Origin", "http://127.0.0.1:8081")])
        #expect(out.status == 303 && out["Set-Cookie"]?.contains("Max-Age=0") == true, "\(out)")
        #expect(try get("/stats", [cookie]).status == 401)
    }

    @Test(arguments: ["/live", "/events", "/inflight"])
    func `a stream ends with its session`(target: String) throws {
        let (cookie, other) = (try signIn(), try signIn())
        let client = try RawHTTPClient(port: daemon.admin, timeoutMilliseconds: 20_000)
        try client.send(
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nCookie: \(cookie.1)\r\n\r\n"
        )
        #expect(try client.readHead()["Content-Type"] == "text/event-stream")
        _ = try post("/logout", "", [other, ("Origin", "http://127.0.0.1:8081")])
        while try client.readChunk() != nil {}
    }

    @Test func `another token ends all sessions`() throws {
        let cookie = try signIn()
        try daemon.rewrite(
            "cache: { path: \"\(folder.path)/cache\" }\n",
            listeners: "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: anothertoken1 }\n"
        )
        daemon.signal(1)
        try daemon.waitForLog("configuration reloaded")
        #expect(try get("/stats", [cookie]).status == 401)
    }
}
