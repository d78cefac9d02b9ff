import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RouteTableTests {
    private func look(_ requestLine: String) -> String {
        var table = RouteTable<Int>()
        table.add(.get, "/", 0)
        table.add(.get, "/metrics", 1)
        table.add(.get, "/warm/*", 2)
        table.add(.delete, "/warm/*", 3)
        table.add(.post, "/warm", 4)
        let bytes = Array("\(requestLine) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        var head = RequestHead()
        var progress = ParseProgress()
        let result = try? RequestParser().parse(bytes.span, &progress, into: &head)
        guard case .complete? = result else { return "malformed" }
        switch table.match(head, bytes.span) {
        case .route(let route, let rest): return "\(route) \(bytes.span.text(rest))"
        case .methodNotAllowed(let allow): return "allow \(allow)"
        case .unknownMethod(let name): return "unknown \(name)"
        case .notFound: return "none"
        }
    }

    @Test(arguments: [
        ("GET /", "0 "), ("GET /metrics", "1 "), ("HEAD /metrics?x=/y", "1 "), ("GET /warm/17", "2 17"),
        ("DELETE /warm/17/x?y", "3 17/x"), ("POST /warm", "4 "), ("GET http://h/metrics", "1 "),
        ("PUT /metrics", "allow GET, HEAD"), ("POST /warm/1", "allow GET, HEAD, DELETE"), ("GET /warm", "allow POST"),
        ("GET /warm/", "none"), ("GET /metrics/", "none"), ("GET /Metrics", "none"), ("OPTIONS *", "none"),
        ("get /metrics", "unknown get"), ("BREW /nowhere", "unknown BREW"),
    ])
    func `finds the route of a request`(_ fixture: (request: String, expected: String)) {
        #expect(look(fixture.request) == fixture.expected)
    }

    @Test func `splits the target at its first question mark`() throws {
        let bytes = Array("GET /a?b?c HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        var head = RequestHead()
        var progress = ParseProgress()
        _ = try RequestParser().parse(bytes.span, &progress, into: &head)
        let (path, query) = (head.path(in: bytes.span), head.query(in: bytes.span))
        #expect(bytes.span.text(path) == "/a")
        #expect(query.map { bytes.span.text($0) } == "b?c")
    }
}
