import CLinux
import Glibc
import HTTPSemantics
import LinuxSystem

/// Messages to the transfer thread; any thread posts, the transfer thread takes.
final class TransferMailbox: Sendable {
    enum Message {
        case load(LoadTicket)
        case cancel(LoadTicket)
        /// Other clients wait for a load.
        case change(LoadTicket)
        /// The readers of a paused body have caught up.
        case resume(LoadTicket)
        /// Applies other settings.
        case adjust(TransferScheduling, BreakerPolicy)
        /// Ends the waiting loads of a source.
        case suspend(String)
        /// Closes the breakers of a source, or all.
        case closeBreakers(String?)
        /// Dispose of what is only kept for later requests.
        case trim
        case stop
    }

    private struct State {
        var messages: [Message] = []
        /// Those of them that the transfer thread has not posted itself, or for a reader of its bodies.
        var news = 0
        var isClosed = false
    }

    /// Readable while messages are waiting.
    let event: SharedDescriptor
    private let state = Lock(State())

    /// Creates an empty mailbox.
    ///
    /// - Throws: `Errno` if the system cannot create a descriptor.
    init() throws(Errno) {
        let flags = CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)
        event = SharedDescriptor(owning: try checked("eventfd") { eventfd(0, flags) })
    }

    /// Posts a message; `false` if the mailbox is closed.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isPosted, wakes) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.messages.append(message)
            if case .resume = message {} else { state.news += 1 }
            return (true, state.messages.count == 1)
        }
        if wakes { eventfd_write(event.number, 1) }
        return isPosted
    }

    /// Removes and returns all messages in order.
    func take() -> [Message] {
        var count: eventfd_t = 0
        unsafe eventfd_read(event.number, &count)
        return state.withLock { state in
            defer { (state.messages, state.news) = ([], 0) }
            return state.messages
        }
    }

    /// Whether messages other than `resume` are waiting.
    var hasNews: Bool { state.withLock { $0.news > 0 } }

    /// Closes the mailbox.
    ///
    /// - Returns: the messages that were not taken.
    func close() -> [Message] {
        state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.messages
        }
    }
}
