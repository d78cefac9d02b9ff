import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// A collector on loopback: keeps the documents that it receives, and answers as a test demands.
final class ScriptedCollector: Sendable {
    /// One request.
    struct Post: Sendable {
        let request: ScriptedRequest
        let document: JSONValue

        /// The spans of the document, in order.
        var spans: [JSONValue] {
            document.list("resourceSpans").flatMap { $0.list("scopeSpans") }.flatMap { $0.list("spans") }
        }
    }

    /// Answers the request of a number, from 1.
    typealias Answer = @Sendable (Int, ScriptedConnection) -> Void

    let posts = Signal<[Post]>([])
    private let origin: ScriptedOrigin

    /// Starts listening; by default, it accepts everything.
    init(_ answer: @escaping Answer = { _, connection in ScriptedCollector.accept(connection) }) throws {
        let posts = posts
        origin = try ScriptedOrigin { request, connection in
            let length = request.field("Content-Length").flatMap { Int($0) } ?? 0
            guard let body = connection.readBody(length),
                let document = JSONValue(parsing: String(decoding: body, as: UTF8.self))
            else { return connection.respond("400 Bad Request") }
            posts.update { $0.append(Post(request: request, document: document)) }
            answer(posts.value.count, connection)
        }
    }

    /// `http://127.0.0.1:PORT`.
    var url: String { origin.url }

    /// Blocks until spans of some names have arrived; returns all spans.
    func spans(until condition: ([JSONValue]) -> Bool) throws -> [JSONValue] {
        try posts.wait { condition($0.flatMap(\.spans)) }.flatMap(\.spans)
    }

    /// Accepts a document.
    static func accept(_ connection: ScriptedConnection) {
        connection.respond("200 OK", ["Content-Type: application/json"], text: "{\"partialSuccess\":{}}")
    }
}

extension JSONValue {
    /// The elements of a member that is an array; empty without one.
    func list(_ name: String) -> [JSONValue] {
        if case .array(let values)? = self[name] { values } else { [] }
    }

    /// The value of an attribute of a span or a resource, as text.
    func attribute(_ name: String) -> String? {
        let found = list("attributes").first { $0["key"] == .string(name) }
        guard case .object(let members)? = found?["value"] else { return nil }
        return members.first?.value.words
    }
}
