import HTTPKit
import ImagePlan

/// A route of the admin listener.
protocol AdminRoute: Sendable {
    /// Whether the route needs no token.
    var isOpen: Bool { get }

    /// Handles a request. Called on an event loop, so blocking work must answer later.
    func answer(_ request: AdminRequest) -> AdminAnswer
}

extension AdminRoute {
    /// Routes need the token by default.
    var isOpen: Bool { false }
}

/// A request to the admin listener, copied out of the read buffer.
struct AdminRequest: Sendable {
    /// The raw query; empty if there is none.
    var query: [UInt8] = []
    /// The content, decoded.
    var body: [UInt8] = []
    /// The client's address.
    var peer: PeerAddress

    /// The decoded value of a query parameter, or `nil` if it is absent or malformed.
    func parameter(_ name: String) -> String? {
        (try? QueryPair.split(query))?.first { $0.name == name }?.value
    }
}

/// The result of a route.
enum AdminAnswer: Sendable {
    /// The response.
    case now(Response)
    /// The route calls `complete` once, from any thread.
    case later(@Sendable (_ complete: @escaping @Sendable (Response) -> Void) -> Void)
}
