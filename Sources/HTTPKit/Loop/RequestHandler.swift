package import LinuxSystem

/// The application of a server: everything above the wire protocol.
///
/// All methods are called on the thread of the loop that owns the connection, and must not block.
package protocol RequestHandler: Sendable {
    /// Whether to call `finished`; read once, when the server starts.
    var wantsCompletions: Bool { get }

    /// Responds to a request, now or later.
    ///
    /// - Parameters:
    ///   - head: the parsed head.
    ///   - bytes: the bytes the head's offsets refer to; invalid after the call.
    ///   - context: the connection's state: peer, body, clock, promises.
    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply

    /// Rejects a request with `Expect: 100-continue` before its content is sent; `nil` accepts the content.
    ///
    /// Called before 100 is sent (RFC 9110 §10.1.1). The connection is closed after the response.
    /// - Parameters: as for `handle`; `loop` is the index of the loop, `peer` the address of the connection.
    func refusal(of head: borrowing RequestHead, bytes: Span<UInt8>, loop: Int, peer: PeerAddress) -> Response?

    /// Chooses where the content of a request goes while it arrives; `nil` for memory, up to the server's limit.
    ///
    /// Called for requests with content, before any of it is decoded and before `refusal`.
    /// - Parameters: as for `refusal`.
    func destination(
        of head: borrowing RequestHead,
        bytes: Span<UInt8>,
        loop: Int,
        peer: PeerAddress
    ) -> BodyDestination?

    /// Builds the response to a request the server rejects; the connection is then closed, except for `abandoned`.
    func reject(_ rejection: RequestRejection) -> Response

    /// Called when an exchange has ended, complete or aborted; `target` is the raw request target, possibly empty.
    func finished(_ exchange: ExchangeSummary, target: Span<UInt8>)

    /// Called when a response could not be sent to its end because its file has become shorter or cannot be read; the connection is closed.
    func fileFailed(_ file: SharedDescriptor)

    /// Called at the end of each turn of a loop that did any work: the place to flush per-loop buffers.
    func tick(loop: Int)
}

extension RequestHandler {
    /// Accepts all content.
    package func refusal(
        of head: borrowing RequestHead,
        bytes: Span<UInt8>,
        loop: Int,
        peer: PeerAddress
    ) -> Response? { nil }
    /// Memory, up to the server's limit.
    package func destination(
        of head: borrowing RequestHead,
        bytes: Span<UInt8>,
        loop: Int,
        peer: PeerAddress
    ) -> BodyDestination? { nil }
    /// False by default.
    package var wantsCompletions: Bool { false }
    /// Nothing.
    package func finished(_ exchange: ExchangeSummary, target: Span<UInt8>) {}
    /// Nothing.
    package func fileFailed(_ file: SharedDescriptor) {}
    /// Nothing.
    package func tick(loop: Int) {}
}

/// Where the content of a request goes while it arrives.
package enum BodyDestination {
    /// Into `RequestContext.body`, up to a number of bytes; longer content is refused with 413.
    case memory(limit: Int)
    /// Into a sink, up to a number of bytes.
    case sink(any RequestBodySink, limit: Int)
    /// Nowhere: the response is sent, and the connection closed.
    case refused(Response)
}

/// The return value of a handler.
package enum Reply: Sendable {
    case now(Response)
    /// The response will come through a promise from the context; later requests on the connection wait.
    case later
}
