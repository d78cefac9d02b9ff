import HTTPKit
import ImagePlan

/// One path of the admin listener.
protocol AdminRoute: Sendable {
    /// Whether everybody who reaches the listener may ask, without the token.
    var isOpen: Bool { get }

    /// Answers a request; on an event loop, so what blocks answers later.
    func answer(_ request: AdminRequest) -> AdminAnswer
}

extension AdminRoute {
    /// Routes ask for the token unless they say otherwise.
    var isOpen: Bool { false }
}

/// A request to the admin listener, copied out of the read buffer.
struct AdminRequest: Sendable {
    /// The raw query; empty where there is none.
    var query: [UInt8] = []
    /// The content, decoded.
    var body: [UInt8] = []
    /// Who asks.
    var peer: PeerAddress

    /// The value of a query parameter, decoded; `nil` where it is not there, or not sound.
    func parameter(_ name: String) -> String? {
        (try? QueryPair.split(query))?.first { $0.name == name }?.value
    }
}

/// What a route answers.
enum AdminAnswer: Sendable {
    /// The answer itself.
    case now(Response)
    /// The route calls back once, from any thread.
    case later(@Sendable (_ complete: @escaping @Sendable (Response) -> Void) -> Void)
}

extension Response {
    /// An answer of the admin listener, which nobody may keep.
    static func admin(_ text: String, type: String = "text/plain; charset=utf-8", status: UInt16 = 200) -> Response {
        var response = Response(status: status)
        var block = FieldBlock()
        block.append("Content-Type", type)
        block.append("Cache-Control", "no-store")
        response.fields = block.bytes
        let bytes = Array(text.utf8)
        response.body = .bytes(bytes, 0..<bytes.count)
        return response
    }

    /// A JSON document of the admin listener.
    static func admin(_ value: JSONValue, status: UInt16 = 200) -> Response {
        admin(value.text + "\n", type: "application/json", status: status)
    }
}
