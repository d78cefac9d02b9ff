import Synchronization

/// A promise of a response, completed once, from any thread.
///
/// Only the first completion counts. Releasing a promise without completing it responds with 500, through
/// `RequestHandler.reject(.abandoned)`, so no connection waits for ever.
package final class ResponsePromise: Sendable {
    private let connection: ConnectionID
    private let sequence: UInt32
    private let mailbox: LoopMailbox
    private let isDone = Atomic<Bool>(false)
    private let interims = Atomic<Int>(0)
    /// The usual maximum number of interim responses to one request; further ones are dropped.
    package static let interimLimit = 16

    init(_ connection: ConnectionID, _ sequence: UInt32, _ mailbox: LoopMailbox) {
        self.connection = connection
        self.sequence = sequence
        self.mailbox = mailbox
    }

    /// Whether the promise has been completed.
    package var isCompleted: Bool { isDone.load(ordering: .relaxed) }

    /// Passes the response to the connection's loop; does nothing if the client has disconnected.
    package func complete(_ response: Response) {
        guard !isDone.exchange(true, ordering: .relaxed) else { return }
        mailbox.post(.complete(connection, sequence, response))
    }

    /// Sends an interim response ahead of the response (RFC 9110 §15.2), from any thread.
    ///
    /// Does nothing after the completion, for a client of HTTP/1.0, and beyond the limit.
    ///
    /// - Parameters:
    ///   - status: from 102 to 199; other values are ignored.
    ///   - fields: encoded lines, as in `Response.fields`.
    ///   - limit: the maximum number of interim responses to the request.
    package func interim(status: UInt16, fields: [UInt8], limit: Int = interimLimit) {
        guard (102...199).contains(status), !isDone.load(ordering: .relaxed),
            interims.wrappingAdd(1, ordering: .relaxed).oldValue < limit
        else { return }
        mailbox.post(.interim(connection, sequence, status, fields))
    }

    deinit {
        if !isDone.load(ordering: .relaxed) { mailbox.post(.abandoned(connection, sequence)) }
    }
}
