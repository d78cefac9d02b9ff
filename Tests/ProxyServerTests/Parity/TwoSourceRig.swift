import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem
import Logging
import TestSupport

@testable import ProxyServer

/// A daemon in the test's process, under a manual clock, with a raw source and an image source of one origin.
///
/// The admin listener is used to count stored entries.
final class TwoSourceRig: Sendable {
    /// The source of a request.
    enum Side: String, CaseIterable, Sendable {
        case raw, picture
    }

    /// The origin's body before and after a change.
    static let first = TestImages.gradient(width: 8, height: 6)
    static let second = TestImages.gradient(width: 9, height: 7)

    let time = ManualTime()
    let origin: ScriptedOrigin
    private let folder: TemporaryFolder
    private let parts: DaemonParts
    private let scripted: Signal<ScriptedAnswer>

    init() throws {
        let scripted = Signal(ScriptedAnswer.picture())
        self.scripted = scripted
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin { request, connection in scripted.value.send(to: request, connection) }
        let loaded = LoadedConfiguration(configuration: try load(Self.yaml(origin: origin.url, folder: folder.path)))
        parts = try DaemonParts(
            loaded,
            sockets: ActivatedSockets([]),
            time: time,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            logLevel: LogLevelCell(.error)
        )
        try parts.start()
    }

    deinit {
        // A drain would wait for the clock, which does not move.
        let ended = Signal(0)
        let servers = [parts.publicServer, parts.adminServer].compactMap(\.self)
        for server in servers { server.stop(graceMilliseconds: 0) { ended.update { $0 += 1 } } }
        _ = try? ended.wait { $0 == servers.count }
        parts.stop()
    }

    /// The sources below `dead` use a port that refuses connections.
    private static func yaml(origin: String, folder: String) -> String {
        """
        listen: 127.0.0.1:0
        admin: { listen: "127.0.0.1:0" }
        cache: { path: "\(folder)/cache", memory: 64MiB }
        workers: { count: 1 }
        log: { access: false }
        limits: { retries: 0 }
        negative: { failing: 10s, failing-max: 60s, denied: 60s, missing: 5m, undecodable: 10m }
        sources:
          raw: { url: "\(origin)/raw/", allow-private: true, stale-if-error: 1h, raw: true }
          picture: { url: "\(origin)/picture/", allow-private: true, stale-if-error: 1h, ttl: 10m }
          dead-raw: { url: "http://127.0.0.1:1/", allow-private: true, raw: true }
          dead-picture: { url: "http://127.0.0.1:1/", allow-private: true }

        """
    }

    /// Runs a step against one source.
    ///
    /// - Parameter name: the last segment of the case's path, without `.png`.
    /// - Returns: the observations of the client, the origin and the stored entries.
    func run(_ step: AnswerCase.Step, of name: String, on side: Side) async throws -> ToldAnswer {
        let path = (step.isDead ? "/dead-" : "/") + "\(side.rawValue)/\(name).png"
        let before = origin.requests
        let answer = try ask(path, step)
        if step.refreshes { try await settle(path, after: before) }
        let heads = origin.heads.dropFirst(before)
        var told = ToldAnswer(answer)
        told[.asked] = String(heads.count)
        told[.conditions] = Self.conditions(of: heads)
        try tellStored(path, &told)
        return told
    }

    /// One request, with the origin's response.
    func ask(_ path: String, _ step: AnswerCase.Step) throws -> RawHTTPResponse {
        scripted.update { $0 = step.answer }
        let client = try RawHTTPClient(port: try port(of: parts.publicServer), timeoutMilliseconds: 20_000)
        let lines = step.request.map { $0 + "\r\n" }.joined()
        try client.send("\(step.method) \(path) HTTP/1.1\r\nHost: test\r\n\(lines)\r\n")
        return try client.readResponse(toHEAD: step.method == "HEAD")
    }

    /// Waits until a background refresh has been stored.
    private func settle(_ path: String, after requests: Int) async throws {
        await origin.arrival(of: requests + 1)
        let step = AnswerCase.Step(request: ["Cache-Control: only-if-cached"], answer: scripted.value)
        try await suspendWhile(ToldAnswer(ask(path, step))[.detail] == "stale")
    }

    /// The validators in the requests to the origin.
    private static func conditions(of heads: ArraySlice<String>) -> String {
        let names = ["If-None-Match", "If-Modified-Since"]
        let found = names.filter { name in heads.contains { ScriptedRequest.field(name, in: $0) != nil } }
        return found.isEmpty ? "none" : found.joined(separator: "+")
    }

    /// Counts the stored entries of a path in memory and on disk with a dry purge.
    private func tellStored(_ path: String, _ told: inout ToldAnswer) throws {
        let isWritten = Signal(false)
        parts.store.flush { isWritten.update { $0 = true } }
        try isWritten.wait { $0 }
        guard let adminServer = parts.adminServer else { return }
        let client = try RawHTTPClient(port: try port(of: adminServer))
        let body = "{\"url\":\"\(path)\",\"dry\":true}"
        try client.send("POST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let counts = try client.readResponse().text
        told[.memory] = Self.isPositive("memory", in: counts) ? "stored" : "nothing"
        told[.disk] = Self.isPositive("originals", in: counts) ? "stored" : "nothing"
    }

    private static func isPositive(_ name: String, in counts: String) -> Bool {
        counts.contains("\"\(name)\":") && !counts.contains("\"\(name)\":0")
    }

    private struct NoPort: Error {}

    private func port(of server: HTTPServer) throws -> UInt16 {
        guard let port = server.boundAddresses.compactMap(\.port).first else { throw NoPort() }
        return port
    }
}

/// The origin's response, if it is contacted.
struct ScriptedAnswer: Sendable {
    /// The content after the head.
    enum Content: Sendable {
        case first, second, text, nothing
        /// None; only for conditional requests.
        case unchanged
        /// Half of the first image, then the connection closes.
        case half
        /// Neither head nor body: the connection closes immediately.
        case cut
    }

    var status = "200 OK"
    var fields: [String] = []
    var content = Content.first

    /// A 200 with the first image.
    static func picture(_ fields: String...) -> ScriptedAnswer { ScriptedAnswer(fields: fields) }
    /// A 200 with the second image.
    static func changed(_ fields: String...) -> ScriptedAnswer { ScriptedAnswer(fields: fields, content: .second) }
    /// A 304.
    static func unchanged(_ fields: String...) -> ScriptedAnswer {
        ScriptedAnswer(status: "304 Not Modified", fields: fields, content: .unchanged)
    }
    /// Another status with a line of text.
    static func status(_ status: String, _ fields: String...) -> ScriptedAnswer {
        ScriptedAnswer(status: status, fields: fields, content: .text)
    }

    /// Responds to a request and closes the connection, so that none is reused.
    ///
    /// A 304 is sent if the request has a condition, else the second image with the same fields. A redirect's target has its
    /// own image.
    func send(to request: ScriptedRequest, _ connection: ScriptedConnection) {
        var answer = self
        if request.target.hasSuffix("/elsewhere.png") { answer = .picture("Cache-Control: max-age=600") }
        let isConditional = ["If-None-Match", "If-Modified-Since"].contains { request.field($0) != nil }
        if content == .unchanged, !isConditional { answer = ScriptedAnswer(fields: fields, content: .second) }
        answer.write(isHead: request.method == "HEAD", connection)
        connection.close()
    }

    private func write(isHead: Bool, _ connection: ScriptedConnection) {
        guard content != .cut else { return }
        var lines = ["HTTP/1.1 \(status)"] + fields + ["Connection: close"]
        if content != .nothing, content != .unchanged { lines.append("Content-Length: \(body.count)") }
        connection.send((lines + ["", ""]).joined(separator: "\r\n"))
        guard !isHead else { return }
        connection.send(content == .half ? Array(body.prefix(body.count / 2)) : body)
    }

    private var body: [UInt8] {
        switch content {
        case .first, .half: TwoSourceRig.first
        case .second: TwoSourceRig.second
        case .text: Array("text".utf8)
        case .nothing, .unchanged, .cut: []
        }
    }
}
