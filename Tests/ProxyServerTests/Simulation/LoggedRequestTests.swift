import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct LoggedRequestTests {
    private func read(_ line: String) -> LoggedRequest? { LoggedRequest(Array(line.utf8)) }

    @Test func `reads a line of the log in JSON, and skips members that it does not know`() throws {
        let line = """
            {"time":"2026-11-21T00:00:05Z","client":"127.0.0.1","method":"GET","target":"/photos/\\u00c3\\u00a4.jpg?w=2\\u0022",\
            "status":200,"bytes":4711,"duration_us":812,"cache":"memory","id":"x","ms":0.812,"stages":{"fetch":1.5,"a":[{}]},\
            "format":"webp","saved":91044}
            """
        let request = try #require(read(line))
        #expect(String(decoding: request.target, as: UTF8.self) == "/photos/ä.jpg?w=2\"")
        #expect(String(decoding: request.method, as: UTF8.self) == "GET")
        #expect(request.status == 200 && request.bytes == 4711 - LoggedRequest.head && request.saved == 91_044)
        #expect(String(decoding: request.format, as: UTF8.self) == "webp")
        #expect(request.seconds == 1_795_219_205 && request.isComplete)
        let aborted = try #require(read(#"{"target":"/a","status":200,"bytes":1,"aborted":true}"#))
        #expect(!aborted.isComplete && aborted.bytes == 0)
    }

    @Test(arguments: [
        #"203.0.113.9 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif?w=4 HTTP/1.0" 200 2326"#,
        #"203.0.113.9 - - [10/Oct/2000:20:55:36 +0000] "GET /a.gif?w=4 HTTP/1.0" 200 2326 "https://x/ [a]" "Mozilla \"5\"""#,
    ])
    func `reads the common and the combined format`(line: String) throws {
        let request = try #require(read(line))
        #expect(String(decoding: request.target, as: UTF8.self) == "/a.gif?w=4")
        #expect(request.status == 200 && request.bytes == 2326 && request.seconds == 971_211_336)
    }

    @Test(arguments: [
        (#"/\xC3\xA4.jpg?w=2\x22"#, "/ä.jpg?w=2\""), (#"/a\"b\\c.jpg"#, #"/a"b\c.jpg"#), (#"/a\x5Cx41"#, #"/a\x41"#),
        (#"/a\xZZ\n\x4"#, #"/a\xZZ\n\x4"#),
    ])
    func `undoes the escapes of other servers' logs`(logged: String, target: String) throws {
        let line = #"::1 - - [10/Oct/2000:13:55:36 -0700] "GET \#(logged) HTTP/1.1" 200 12 "-" "a \"b\"""#
        let request = try #require(read(line))
        #expect(String(decoding: request.target, as: UTF8.self) == target)
        #expect(request.status == 200 && request.bytes == 12)
    }

    @Test func `a dash stands for no body`() throws {
        let line = #"::1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 304 -"#
        #expect(try #require(read(line)).bytes == 0)
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "torn {", #"{"target":"/a","status":200}"#, #"{"target":"/a","status":200,"bytes":1"#,
        #"{"target":"/a","status":200,"bytes":1} x"#, #"{"target":"/a\u00","status":200,"bytes":1}"#,
        #"1 - - [x] "GET /a" 200 1"#, #"1 - - [x] "GET /a HTTP/1.1" 2000 1"#, #"1 - - [x] "GET /a HTTP/1.1" 200 x"#,
        "2026-11-21T00:00:00Z 127.0.0.1 GET \"/demo/a.jpg\" 200 4711 812us memory",
    ])
    func `anything else is no line of a log`(line: String) { #expect(read(line) == nil) }

    @Test func `no byte of a line is read beyond its end`() {
        let line = Array(
            #"{"time":"2026-11-21T00:00:05Z","target":"/a\u00e4","status":200,"bytes":47,"x":[{"y":"z"}]}"#.utf8
        )
        #expect(LoggedRequest(line) != nil)
        for count in line.indices { #expect(LoggedRequest(Array(line[..<count])) == nil) }
        let common = Array(#"1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 12 "#.utf8)
        for count in 0..<common.count - 4 { #expect(LoggedRequest(Array(common[..<count])) == nil) }
    }
}
