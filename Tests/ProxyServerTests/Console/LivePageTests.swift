import Foundation
import TestSupport
import Testing

@testable import AdminPages
@testable import ProxyServer

/// The *Live* page as it is sent, and its forms without scripts.
@Suite(.timeLimit(.minutes(1)))
struct LivePageTests {
    private let picture = TestImages.gradient(width: 40, height: 30)

    private func rig(_ extra: String = "", source: String = "") throws -> EndToEndRig {
        let rig = try EndToEndRig(
            extra,
            source: source,
            script: ScriptedOrigin.pictures(["a.png": picture, "b.png": picture])
        )
        try rig.daemon.waitUntilReady()
        return rig
    }

    private func page(_ rig: EndToEndRig, _ target: String = "/") throws -> RawHTTPResponse {
        try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000).get(target)
    }

    /// Sends a form as a browser does, and follows its redirection.
    private func send(_ rig: EndToEndRig, _ action: String, _ body: String) throws -> String {
        let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        try client.send(
            "POST /actions/\(action) HTTP/1.1\r\nHost: 127.0.0.1:\(rig.daemon.admin)\r\n"
                + "Origin: http://127.0.0.1:\(rig.daemon.admin)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let answer = try client.readResponse()
        let place = try #require(answer["Location"], "\(answer)")
        #expect(answer.status == 303 && place.hasPrefix("/?notice=") && place.hasSuffix("#notice"))
        let text = try page(rig, String(place.prefix { $0 != "#" })).text
        let start = try #require(text.firstRange(of: "role=\"status\" tabindex=\"-1\">"))
        return String(text[start.upperBound...].prefix(while: { $0 != "\n" }))
    }

    @Test func `the policy allows nothing but this server's files`() throws {
        let answer = try page(try rig())
        #expect(
            answer["Content-Security-Policy"]
                == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
                + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        )
        #expect(answer["X-Content-Type-Options"] == "nosniff" && answer["Cache-Control"] == "no-store")
        #expect(answer["Referrer-Policy"] == "same-origin" && answer["Content-Type"] == "text/html; charset=utf-8")
        for text in [answer.text, LiveForms.purge.text] {
            #expect(!text.contains("style=\"") && !text.contains("<style") && !text.contains("javascript:"))
            #expect(text.matches(of: #/<script(?! type="module" src="/assets/)/#).isEmpty)
            #expect(text.matches(of: #/\son[a-z]+=/#).isEmpty)
            #expect(text.matches(of: #/(?:src|href|action)="(?!/|\#)/#).isEmpty)
        }
        let script = String(decoding: AdminPages.file("live.js")?.bytes ?? [], as: UTF8.self)
        #expect(!script.contains("http://") && !script.contains("https://") && !script.contains("eval("))
    }

    @Test func `script and style have each result of a request`() throws {
        let script = String(decoding: AdminPages.file("live.js")?.bytes ?? [], as: UTF8.self)
        let style = String(decoding: AdminPages.file("console.css")?.bytes ?? [], as: UTF8.self)
        let list = try #require(script.firstMatch(of: #/const results = \[([^\]]*)\]/#)).output.1
        let drawn = list.matches(of: #/'([a-z]+)'/#).map { String($0.output.1) }
        #expect(drawn.sorted() == RequestResult.allCases.map(\.value).sorted())
        for name in drawn {
            #expect(style.contains(".t-\(name) { --c") || style.contains(".t-\(name), "), "\(name)")
            // Of both themes.
            #expect(style.components(separatedBy: "--t-\(name): #").count == 3, "\(name)")
        }
    }

    @Test func `page, style and script have at most 60 kB together`() throws {
        let rig = try rig("negative: { missing: 1m }")
        for index in 0..<80 {
            _ = try rig.get("/photos/\(index.isMultiple(of: 3) ? "none" : "a").png?w=\(index + 1)&blur=2")
        }
        let names = ["console.css", "icon.svg", "live.js"]
        let files = names.reduce(0) { $0 + (AdminPages.file($1)?.bytes.count ?? 0) }
        let size = try page(rig).body.count
        #expect(files > 0 && size + files <= 60_000, "\(size) + \(files)")
    }

    @Test func `files have entity tags, and are not sent again`() throws {
        let rig = try rig()
        for name in AdminPages.names {
            let first = try page(rig, "/assets/\(name)")
            let tag = try #require(first["ETag"])
            #expect(first.status == 200 && first.body == AdminPages.file(name)?.bytes && !tag.hasPrefix("W/"))
            #expect(first["Cache-Control"] == "private, no-cache" && first["X-Content-Type-Options"] == "nosniff")
            let again = try rig.admin("GET", "/assets/\(name)", [("If-None-Match", tag)])
            #expect(again.status == 304 && again.body.isEmpty)
        }
        #expect(try page(rig, "/assets/none.js").status == 404)
    }

    @Test func `shows requests with their stages, without scripts`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        #expect(try rig.get("/photos/none.png?w=20").status == 404)
        try rig.waitUntil("edgeprint_request_duration_seconds_count", is: 2)
        let text = try page(rig).text
        #expect(text.contains("<code>/photos/a.png?w=20</code>") && text.contains("<code>/photos/none.png?w=20</code>"))
        #expect(text.contains("class=\"tag t-miss\"") && text.contains("class=\"tag t-refused\""))
        #expect(text.firstRange(of: #/aria-label="[^"]*decode [0-9.]+ m?s/#) != nil)
        #expect(text.contains("<th scope=\"row\">photos</th>"))
        // The failure is remembered, and the page offers to forget it.
        #expect(text.contains("<code>/photos/none.png</code>") && text.contains("value=\"photos\""))
    }

    @Test func `worker slots that no job has needed are not shown as starting`() throws {
        let rig = try rig("workers: { count: 4 }")
        let text = try page(rig).text
        #expect(text.components(separatedBy: "<span class=\"muted\">not started</span>").count == 4)
        #expect(!text.contains(">starting<"))
    }

    @Test func `hits are recorded while a page is open`() throws {
        let rig = try rig()
        for _ in 0..<2 { #expect(try rig.get("/photos/a.png?w=21").status == 200) }
        try rig.waitUntil("edgeprint_request_duration_seconds_count", is: 2)
        let hit = "class=\"tag t-memory\">memory</span></td><td>200"
        #expect(!(try page(rig).text.contains(hit)))
        _ = try rig.get("/photos/a.png?w=21")
        try waitWhile(!(try page(rig).text.contains(hit)))
    }

    @Test func `never shows signatures, forwarded secrets or internal addresses`() throws {
        let rig = try rig("remote: { allow: [\"127.0.0.1\"], allow-private: true }", source: ", forward-query: [key]")
        _ = try rig.get("/photos/a.png?w=22&key=canary1&sig=canary2")
        _ = try rig.get("/photos/a.png?w=22&key=canary1")
        _ = try rig.get("/fetch?url=http%3A%2F%2Fcanary3%3Acanary4%40127.0.0.1%3A9%2Fx.png%3Fcanary5&w=9")
        try rig.waitUntil("edgeprint_request_duration_seconds_count", is: 3)
        let texts = try [
            page(rig).text, page(rig, "/live").text, page(rig, "/?explain=/photos/a.png%3Fsig=canary2").text,
        ]
        for (index, text) in texts.enumerated() {
            // The form repeats what its reader has entered.
            let shown = text.replacing("value=\"/photos/a.png?sig=canary2\"", with: "")
            #expect(!shown.contains("canary"), "\(index)")
            #expect(!shown.contains("127.0.0.1") && !shown.contains(rig.origin.url), "\(index)")
        }
        #expect(texts[0].contains("/photos/a.png?w=22&amp;key=…"))
    }

    @Test func `text from clients stays text`() throws {
        let rig = try rig()
        _ = try rig.get("/photos/%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27.png?w=3")
        try rig.waitUntil("edgeprint_request_duration_seconds_count", is: 1)
        let text = try page(rig, "/?explain=%3Cimg%20src=x%3E&notice=%3Cb%3E").text
        #expect(!text.contains("<script>alert") && !text.contains("<img src=x") && !text.contains("<b>"))
        #expect(text.contains("&lt;script&gt;alert(1)"))
    }

    @Test func `purges by a form`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        #expect(try rig.get("/photos/a.png?w=20")["Cache-Status"] == "edgeprint; hit; detail=memory")
        // What is only counted must be on disk.
        try rig.waitUntil("edgeprint_disk_stores_total", is: 2)
        let count = try send(rig, "purge", "what=url&value=%2Fphotos%2Fa.png&tier=&dry=1")
        #expect(count.contains("Would purge 1 original"), "\(count)")
        let done = try send(rig, "purge", "what=url&value=%2Fphotos%2Fa.png&tier=")
        #expect(done.contains("Purged 1 original"), "\(done)")
        #expect(try rig.get("/photos/a.png?w=20")["Cache-Status"]?.contains("fwd=uri-miss") == true)
    }

    @Test(arguments: [
        ("what=all&value=", "enter the word everything"), ("what=url&value=", "Enter what to purge"),
        ("what=nothing", "Choose what to purge"), ("what=source&value=phots", "did you mean photos"),
        ("what=source&value=photos&soft=1&tier=memory", "soft"),
    ])
    func `an incomplete purge is explained, and does nothing`(body: String, expected: String) throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        let notice = try send(rig, "purge", body)
        #expect(notice.contains("class=\"notice bad\"") && notice.contains(expected), "\(notice)")
        #expect(try rig.get("/photos/a.png?w=20")["Cache-Status"] == "edgeprint; hit; detail=memory")
    }

    @Test func `warms by a form, and shows the job`() throws {
        let rig = try rig()
        let notice = try send(
            rig,
            "warm",
            "urls=%2Fphotos%2Fa.png%3Fw%3D30%0D%0A%2Fphotos%2Fb.png%3Fw%3D30&presets=&formats="
        )
        #expect(notice.contains("with 2 targets"), "\(notice)")
        try waitWhile(!(try page(rig).text.contains("<td>2 of 2</td>")))
        #expect(try rig.get("/photos/b.png?w=30")["Cache-Status"]?.contains("hit") == true)
        let refused = try send(rig, "warm", "urls=&presets=&formats=")
        #expect(refused.contains("Enter at least one path"), "\(refused)")
    }

    @Test func `suspends and resumes a source by a form`() throws {
        let rig = try rig()
        #expect(try send(rig, "source", "source=photos&action=suspend").contains("photos is suspended."))
        #expect(try rig.get("/photos/a.png?w=20").status == 503)
        #expect(try page(rig).text.contains("aria-label=\"Resume photos\""))
        #expect(try send(rig, "source", "source=photos&action=resume").contains("photos is on again."))
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        #expect(try send(rig, "source", "source=nothing&action=suspend").contains("There is no source"))
    }

    @Test func `forgets failures by a form`() throws {
        let rig = try rig("negative: { missing: 5m }")
        #expect(try rig.get("/photos/none.png?w=20").status == 404)
        #expect(try send(rig, "forget", "source=photos").contains("Forgot 1 failure of photos."))
        #expect(try rig.get("/photos/none.png?w=20")["Cache-Status"]?.contains("negative") != true)
        #expect(try send(rig, "forget", "").contains("Forgot 1 failure."))
    }

    @Test func `a list of failures says how many it leaves out, and each row's button whose failures it forgets`()
        throws
    {
        let rig = try rig("negative: { missing: 5m }")
        for index in 0..<23 { #expect(try rig.get("/photos/none\(index).png?w=20").status == 404) }
        let text = try page(rig).text
        #expect(text.contains("and 3 further failures: GET /negative"))
        #expect(text.components(separatedBy: ">Clear all of photos</button>").count == 21)
        let keys = text.matches(of: #/data-key="(failure [^"]*)"/#).map { String($0.output.1) }
        #expect(keys.count == 20 && Set(keys).count == 20, "\(keys)")
    }

    @Test func `scripts get the result of a form at once`() throws {
        let rig = try rig()
        let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        let body = "what=all&value="
        try client.send(
            "POST /actions/purge HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let answer = try client.readResponse()
        let json = try #require(JSONValue(parsing: answer.text), "\(answer)")
        #expect(json["error"] == .bool(true) && json["text"]?.words.contains("everything") == true)
    }

    @Test func `a form of another site is refused`() throws {
        let rig = try rig()
        let client = try RawHTTPClient(port: rig.daemon.admin)
        let body = "what=all&value=everything"
        try client.send(
            "POST /actions/purge HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        #expect(try client.readResponse().status == 403)
    }

    @Test func `the stream has numbers and fragments`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        try rig.waitUntil("edgeprint_request_duration_seconds_count", is: 1)
        let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        try client.send("GET /live HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        #expect(try client.readHead()["Content-Type"] == "text/event-stream")
        var text = ""
        while text.components(separatedBy: "event: live\n").count < 3 {
            text += String(decoding: try client.readChunk() ?? [], as: UTF8.self)
        }
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("data: ") })
        let json = try #require(JSONValue(parsing: String(line.dropFirst(6))))
        #expect(json["requests.miss"] == .number(1) && json["html.recent"]?.words.contains("a.png?w=20") == true)
        guard case .array(let lanes)? = json["lanes"] else { throw Failure.noLanes }
        #expect(lanes.contains { $0.text.contains("\"a.png\"") }, "\(lanes)")
        // Plans are shown without the version of their text.
        let jobs = json["html.lanes"]?.words ?? ""
        #expect(jobs.contains("<span class=\"muted\">w=20"), "\(jobs)")
    }

    @Test func `what sources have stored is counted`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        try rig.waitUntil("edgeprint_disk_stores_total", is: 2)
        // Counted at most once in five seconds; the first count may be from before.
        try waitWhile(!(try page(rig).text.contains("<i class=\"c0\"></i>photos</th>")))
    }

    private enum Failure: Error { case noLanes }
}
