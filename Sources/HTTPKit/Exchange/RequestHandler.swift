/// What a server serves: everything above the wire.
///
/// All calls come on the thread of the loop that owns the connection, and must not block.
package protocol RequestHandler: Sendable {
    /// Whether `finished` is to be called; read once, when the server starts.
    var wantsCompletions: Bool { get }

    /// Answers a request, now or later.
    ///
    /// - Parameters:
    ///   - head: the parsed head.
    ///   - bytes: the bytes that the head's offsets point into; gone after the call.
    ///   - context: the connection's side: peer, body, clock, promises.
    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply

    /// Answers a request with `Expect: 100-continue` without its content; `nil` where the content is wanted.
    ///
    /// Asked before 100 is sent (RFC 9110 §10.1.1); the connection is closed after the answer.
    /// - Parameters: as those of `handle`; `loop` is the index of the loop, `peer` is connected.
    func refusal(of head: borrowing RequestHead, bytes: Span<UInt8>, loop: Int, peer: PeerAddress) -> Response?

    /// Builds the answer to a request that the server refuses; the connection is closed after it, but for `abandoned`.
    func reject(_ rejection: RequestRejection) -> Response

    /// Hears that an exchange has ended, written or aborted; `target` is the request target as sent, possibly empty.
    func finished(_ exchange: ExchangeSummary, target: Span<UInt8>)

    /// Hears the end of each turn of a loop that did something: the place to flush what was gathered per loop.
    func tick(loop: Int)
}

extension RequestHandler {
    /// Content is always wanted.
    package func refusal(
        of head: borrowing RequestHead,
        bytes: Span<UInt8>,
        loop: Int,
        peer: PeerAddress
    ) -> Response? { nil }
    /// Completions are not wanted unless the handler says so.
    package var wantsCompletions: Bool { false }
    /// Nothing.
    package func finished(_ exchange: ExchangeSummary, target: Span<UInt8>) {}
    /// Nothing.
    package func tick(loop: Int) {}
}

/// A handler's answer.
package enum Reply: Sendable {
    /// The answer itself.
    case now(Response)
    /// A promise taken from the context will be completed; requests behind this one wait.
    case later
}
