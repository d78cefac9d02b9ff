import Synchronization

/// An answer that is owed to a connection; completed once, from any thread.
///
/// The first completion counts. A promise that nobody holds any more and that was never completed answers 500, through
/// `RequestHandler.reject(.abandoned)`: a connection never waits for nobody.
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

    /// Hands the answer to the connection's loop; dropped silently when the client is gone.
    package func complete(_ response: Response) {
        guard !isDone.exchange(true, ordering: .relaxed) else { return }
        mailbox.post(.complete(connection, sequence, response))
    }

    deinit {
        if !isDone.load(ordering: .relaxed) { mailbox.post(.abandoned(connection, sequence)) }
    }
}
