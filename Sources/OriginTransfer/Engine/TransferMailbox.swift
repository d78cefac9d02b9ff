import CLinux
import Glibc
import LinuxSystem

/// What other threads want of the transfer thread; any thread posts, one takes.
final class TransferMailbox: Sendable {
    enum Message {
        case load(LoadTicket)
        case cancel(LoadTicket)
        case stop
    }

    private struct State {
        var messages: [Message] = []
        var isClosed = false
    }

    /// Readable while messages are waiting.
    let event: SharedDescriptor
    private let state = Lock(State())

    /// Creates an empty mailbox.
    ///
    /// - Throws: `Errno` when the system refuses a descriptor.
    init() throws(Errno) {
        let flags = CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)
        event = SharedDescriptor(owning: try checked("eventfd") { eventfd(0, flags) })
    }

    /// Leaves a message; `false` when nobody will take it any more.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isPosted, wakes) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.messages.append(message)
            return (true, state.messages.count == 1)
        }
        if wakes { eventfd_write(event.number, 1) }
        return isPosted
    }

    /// All messages so far, in order.
    func take() -> [Message] {
        var count: eventfd_t = 0
        unsafe eventfd_read(event.number, &count)
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Refuses further messages.
    ///
    /// - Returns: those that nobody took.
    func close() -> [Message] {
        state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.messages
        }
    }
}
