import LinuxSystem
import TestSupport

/// A sequence of requests for one URL, with the origin's response to each and the expected behaviour of the cache.
struct CacheCase: Sendable {
    let name: String
    let steps: [Step]

    init(_ name: String, _ steps: Step...) {
        self.name = name
        self.steps = steps
    }

    /// One request.
    struct Step: Sendable {
        /// The expected source of the response.
        enum Source: Sendable { case cache, origin, validated }

        var method = "GET"
        /// The suffix of the case's path.
        var suffix = ""
        var request: [String] = []
        /// The origin's response, if it is contacted; `nil` closes the connection.
        var origin: (status: String, fields: [String], body: String)? = ("200 OK", [], "other")
        var source: Source? = Source.cache
        var status = 200
        /// The expected value, or `nil` for any.
        var body: String?
        /// Field lines that the response must have.
        var has: [String] = []
        /// Fields that the response must not have.
        var lacks: [String] = []

        /// The origin responds for the first time.
        static func first(
            _ fields: String...,
            status: String = "200 OK",
            to request: [String] = [],
            body: String = "one"
        ) -> Step {
            Step(
                request: request,
                origin: (status, fields, body),
                source: .origin,
                status: Int(status.prefix(3)) ?? 0,
                body: body
            )
        }

        /// The first response of the origin comes from the cache.
        static func hit(
            _ request: String...,
            status: Int = 200,
            body: String = "one",
            has: [String] = [],
            lacks: [String] = []
        )
            -> Step
        {
            Step(request: request, source: .cache, status: status, body: body, has: has, lacks: lacks)
        }

        /// The origin responds again, with another response.
        static func miss(_ request: String..., answer fields: [String] = [], status: String = "200 OK") -> Step {
            Step(
                request: request,
                origin: (status, fields, "two"),
                source: .origin,
                status: Int(status.prefix(3)) ?? 0,
                body: "two"
            )
        }

        /// The origin validates the stored response.
        static func confirmed(_ request: String..., answer fields: [String] = [], status: Int = 200, has: [String] = [])
            -> Step
        {
            Step(
                request: request,
                origin: ("304 Not Modified", fields, ""),
                source: .validated,
                status: status,
                body: status == 304 ? "" : "one",
                has: has
            )
        }
    }
}

/// A daemon with a raw source, and an origin with scripted responses.
final class CacheRig: Sendable {
    /// The origin's responses by path.
    private final class Script: Sendable {
        let answers = Lock<[String: (status: String, fields: [String], body: String)?]>([:])
    }

    private let script: Script
    let rig: EndToEndRig

    /// - Parameters:
    ///   - extra: further configuration.
    ///   - source: further keys of the source, as `, key: value`.
    init(_ extra: String = "", source: String = "") throws {
        let source = ", methods: [POST, PUT, DELETE, PATCH, M-SEARCH], set-cookie: store" + source
        let script = Script()
        self.script = script
        rig = try EndToEndRig(extra, source: ", raw: true" + source) { request, connection in
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
            // Request content is not read, so the connection cannot be reused.
            let close = request.field("Content-Length") == nil ? [] : ["Connection: close"]
            connection.respond(answer.status, answer.fields + close, text: answer.body)
            if !close.isEmpty { connection.close() }
        }
    }

    /// Sets the origin's response to a path.
    func script(_ target: String, _ answer: (status: String, fields: [String], body: String)?) {
        script.answers.withLock { $0[target] = .some(answer) }
    }

    /// Runs a case; returns the deviations, each with case and step.
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
            if answer.status != step.status { complain("\(answer.status), not \(step.status)") }
            if let body = step.body, answer.text != body { complain("«\(answer.text)», not «\(body)»") }
            for line in step.has where !Self.has(answer, line) { complain("has no \(line):\n\(answer.head)") }
            for name in step.lacks where answer[name] != nil { complain("has \(name)") }
        }
        return complaints
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
