import LinuxSystem
import TestSupport

/// A daemon with one source, raw or of images, and a scripted origin.
final class CacheRig: Sendable {
    /// The kind of source through which the cases run.
    enum Kind: String, CaseIterable, Sendable {
        case raw, picture

        /// Keys of the source, as `, key: value`.
        ///
        /// An image source with only the freshness that the origin states.
        fileprivate var settings: String {
            switch self {
            case .raw: ", raw: true, methods: [POST, PUT, DELETE, PATCH, M-SEARCH], set-cookie: store"
            case .picture: ", ttl: 0"
            }
        }

        /// The origin's content for a text: the text, or an image whose width is its length.
        fileprivate func content(_ text: String) -> [UInt8] {
            switch self {
            case .raw: Array(text.utf8)
            case .picture: text.isEmpty ? [] : TestImages.gradient(width: Self.width(text), height: 2)
            }
        }

        private static func width(_ text: String) -> Int { 2 + Int(text.utf8.first ?? 0) % 32 }

        /// The client's status for the origin's.
        fileprivate func status(_ status: Int) -> Int {
            switch (self, status) {
            case (.picture, 401), (.picture, 403): 404
            case (.picture, 404), (.picture, 410), (.picture, 416), (.picture, 504), (.raw, _): status
            case (.picture, 300...303), (.picture, 305...): 502
            default: status
            }
        }
    }

    typealias Answer = (status: String, fields: [String], body: String)?

    /// The origin's responses by path.
    private final class Script: Sendable {
        let answers = Lock<[String: Answer]>([:])
    }

    private let script: Script
    private let kind: Kind
    let rig: EndToEndRig

    /// - Parameters:
    ///   - kind: the kind of source; an image source caches no failures.
    ///   - source: further keys of the source, as `, key: value`.
    init(_ kind: Kind = .raw, source: String = "") throws {
        self.kind = kind
        let script = Script()
        self.script = script
        rig = try EndToEndRig(
            "negative: { missing: 0s, denied: 0s, undecodable: 0s, failing: 0s }",
            source: kind.settings + source
        ) { request, connection in
            guard let scripted = script.answers.withLock({ $0[request.target] }) else {
                return connection.respond("404 Not Found", text: "no script")
            }
            guard let answer = scripted else { return connection.close() }
            let status = answer.status.prefix(3)
            guard request.method != "HEAD", status != "304", status != "204" else {
                let lines = ["HTTP/1.1 \(answer.status)"] + answer.fields + ["", ""]
                connection.send(lines.joined(separator: "\r\n"))
                return
            }
            // The request's content is not read, so the connection cannot be reused.
            let close = request.field("Content-Length") == nil ? [] : ["Connection: close"]
            connection.respond(answer.status, answer.fields + close, body: kind.content(answer.body))
            if !close.isEmpty { connection.close() }
        }
    }

    /// Sets the origin's response for a path.
    func script(_ target: String, _ answer: Answer) {
        script.answers.withLock { $0[target] = .some(answer) }
    }

    /// Runs a case; returns the violations, each with case and step.
    func run(_ test: CacheCase, number: Int) throws -> [String] {
        var complaints: [String] = []
        for (index, step) in test.steps.enumerated() {
            let target = "/case-\(number)\(step.suffix)"
            script(target, step.origin)
            let before = rig.origin.requests
            let answer = try send(step, "/photos" + target)
            let asked = rig.origin.requests - before
            func complain(_ what: String) { complaints.append("\(test.name), step \(index + 1): \(what)") }
            let isRight = asked == (step.source == .cache ? 0 : 1)
            if step.source != nil, !isRight { complain("the origin was asked \(asked) times") }
            let isConditional = asked > 0 && rig.origin.heads.last?.lowercased().contains("\r\nif-") == true
            if step.source == .validated, !isConditional { complain("it was not asked on a condition") }
            for complaint in faults(of: step, answer) { complain(complaint) }
        }
        return complaints
    }

    private func faults(of step: CacheCase.Step, _ answer: RawHTTPResponse) -> [String] {
        var complaints: [String] = []
        let status = kind.status(step.status)
        if answer.status != status { complaints.append("\(answer.status), not \(status)") }
        // A failure of an image source has its own document.
        if let body = step.body, kind == .raw || status < 400, answer.body != content(body, of: step) {
            complaints.append("«\(answer.text.prefix(80))», not «\(body)»")
        }
        for line in step.has where isPassed(line) && !Self.has(answer, line) {
            complaints.append("has no \(line):\n\(answer.head)")
        }
        for name in step.lacks where answer[name] != nil { complaints.append("has \(name)") }
        return complaints
    }

    /// The content expected by a client for a text; for a range of an image, the same bytes.
    private func content(_ text: String, of step: CacheCase.Step) -> [UInt8] {
        kind == .picture && step.status == 206 ? [kind.content("one")[1]] : kind.content(text)
    }

    /// Whether the source forwards a field as the origin or the cache sets it.
    private func isPassed(_ line: String) -> Bool {
        kind == .raw || ["Age:", "Cache-Control:", "Last-Modified:"].contains { line.hasPrefix($0) }
    }

    private func send(_ step: CacheCase.Step, _ target: String) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        let lines = (["Host: test"] + step.request).map { $0 + "\r\n" }.joined()
        try client.send("\(step.method) \(target) HTTP/1.1\r\n\(lines)\r\n")
        return try client.readResponse(toHEAD: step.method == "HEAD")
    }

    private static func has(_ answer: RawHTTPResponse, _ line: String) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return answer[line] != nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return answer.values(of: String(line[..<colon])).contains(String(value))
    }
}
