import HTTPKit
import LinuxSystem
import TestSupport

/// A request as seen by a test's handler, copied out of the loop's buffer.
struct SeenRequest: Sendable {
    var method: HTTPMethod
    var target: String
    var fields: [String]
    var body: [UInt8]
}

/// A handler made from a closure, which records finished exchanges.
final class TestHandler: RequestHandler {
    struct Finished: Sendable {
        var summary: ExchangeSummary
        var target: String
    }

    typealias Respond = @Sendable (SeenRequest, RequestContext) -> Reply

    let wantsCompletions: Bool
    private let respond: Respond
    private let seen = Lock<[SeenRequest]>([])
    private let ended = Lock<[Finished]>([])
    private let refused = Lock<[RequestRejection]>([])
    private let failed = Lock<[SharedDescriptor]>([])

    init(wantsCompletions: Bool = true, _ respond: @escaping Respond) {
        self.wantsCompletions = wantsCompletions
        self.respond = respond
    }

    var requests: [SeenRequest] { seen.withLock { $0 } }
    var finished: [Finished] { ended.withLock { $0 } }
    var rejections: [RequestRejection] { refused.withLock { $0 } }

    /// The files from which a response could not be sent to its end.
    var failedFiles: [SharedDescriptor] { failed.withLock { $0 } }

    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply {
        var fields: [String] = []
        for field in head.fields { fields.append("\(bytes.text(field.name)): \(bytes.text(field.value))") }
        let request = SeenRequest(
            method: head.method,
            target: bytes.text(head.target),
            fields: fields,
            body: context.body
        )
        seen.withLock { $0.append(request) }
        return respond(request, context)
    }

    func reject(_ rejection: RequestRejection) -> Response {
        refused.withLock { $0.append(rejection) }
        return Response(status: rejection.status, body: .bytes(Array("refused\n".utf8)))
    }

    func fileFailed(_ file: SharedDescriptor) { failed.withLock { $0.append(file) } }

    func finished(_ exchange: ExchangeSummary, target: Span<UInt8>) {
        let text = target.text(0..<target.count)
        ended.withLock { $0.append(Finished(summary: exchange, target: text)) }
    }
}

/// A running server on a free loopback port, stopped when the test releases it.
final class TestServer: Sendable {
    let server: HTTPServer
    let handler: TestHandler
    let port: UInt16

    init(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        wantsCompletions: Bool = true,
        respond: @escaping TestHandler.Respond = TestServer.echo
    ) throws {
        var configuration = ServerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)], loops: 2)
        configuration.timeouts.resolution = 5
        change(&configuration)
        handler = TestHandler(wantsCompletions: wantsCompletions, respond)
        server = HTTPServer(configuration: configuration, handler: handler)
        try server.start()
        port = server.boundAddresses.compactMap(\.port).first ?? 0
    }

    deinit { server.stop(graceMilliseconds: 0) {} }

    func client(timeoutMilliseconds: Int = 5000, receiveBuffer: CInt? = nil) throws -> RawHTTPClient {
        try RawHTTPClient(port: port, timeoutMilliseconds: timeoutMilliseconds, receiveBuffer: receiveBuffer)
    }

    /// Stops, and waits until all loops have ended.
    func stop(graceMilliseconds: Int = 5000) -> Gate {
        let gate = Gate()
        server.stop(graceMilliseconds: graceMilliseconds) { gate.open() }
        return gate
    }

    /// Responds with the target and the body.
    static let echo: TestHandler.Respond = { request, _ in
        .now(Response(status: 200, body: .bytes(Array(request.target.utf8) + request.body)))
    }
}

/// Promises for a test to complete.
final class PromiseBox: Sendable {
    private let promises = Lock<[String: ResponsePromise]>([:])
    /// Opened once for each promise.
    let taken = Gate()
    /// Opened once for each cancellation.
    let cancelled = Gate()

    func take(_ name: String, _ context: RequestContext) {
        let cancelled = cancelled
        let promise = context.promise { cancelled.open() }
        promises.withLock { $0[name] = promise }
        taken.open()
    }

    /// The promise; `nil` if it was not taken, or has been completed or dropped here.
    func promise(_ name: String) -> ResponsePromise? { promises.withLock { $0[name] } }

    func complete(_ name: String, _ response: Response) {
        promises.withLock { $0.removeValue(forKey: name) }?.complete(response)
    }

    func drop(_ name: String) { _ = promises.withLock { $0.removeValue(forKey: name) } }
}
