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

    init(_ connection: ConnectionID, _ sequence: UInt32, _ mailbox: LoopMailbox) {
        self.connection = connection
        self.sequence = sequence
        self.mailbox = mailbox
    }

    /// Passes the response to the connection's loop; does nothing if the client has disconnected.
    package func complete(_ response: Response) {
        guard !isDone.exchange(true, ordering: .relaxed) else { return }
        mailbox.post(.complete(connection, sequence, response))
    }

    deinit {
        if !isDone.load(ordering: .relaxed) { mailbox.post(.abandoned(connection, sequence)) }
    }
}
