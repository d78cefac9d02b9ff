import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// A message from another thread to a loop.
enum LoopMessage: Sendable {
    /// The response to the request with this sequence number on this connection.
    case complete(ConnectionID, UInt32, Response)
    /// An interim response, with encoded fields, to the request with this sequence number on this connection.
    case interim(ConnectionID, UInt32, UInt16, [UInt8])
    /// The promise of that response was dropped.
    case abandoned(ConnectionID, UInt32)
    /// The body that this connection's output waits for has grown or ended.
    case resume(ConnectionID)
    /// Stop accepting, finish what is in flight, and end at this monotonic time at the latest.
    ///
    /// With `leavesListeners`, another process accepts from the same sockets, and gets the connections that arrive from then on.
    case drain(deadline: Int64, leavesListeners: Bool = false)
    /// Call back, which shows that the loop is running.
    case ping(@Sendable () -> Void)
    /// Use other limits from now on.
    case adjust(ServerTimeouts, connections: (total: Int, perClient: Int), ServerConfiguration.HalfClosePolicy)
}

/// The message queue of a loop, with an eventfd that is written only while the loop sleeps.
///
/// Its length is bounded by the number of connections: each has at most one open promise, with a limited number of interim
/// responses, or one body that it waits for.
final class LoopMailbox: Sendable {
    /// The eventfd, watched edge-triggered: it is never read.
    let wakeDescriptor: CInt
    private let messages = Lock<[LoopMessage]>([])
    private let hasMessages = Atomic<Bool>(false)
    private let isAsleep = Atomic<Bool>(false)

    init() throws(Errno) {
        wakeDescriptor = try checked("eventfd") { eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC)) }
    }

    deinit { close(wakeDescriptor) }

    /// Posts a message, from any thread.
    func post(_ message: LoopMessage) {
        messages.withLock { $0.append(message) }
        // Sequentially consistent on both sides: either the loop sees the message before it sleeps, or we see that it sleeps.
        hasMessages.store(true, ordering: .sequentiallyConsistent)
        if isAsleep.exchange(false, ordering: .sequentiallyConsistent) {
            var one: UInt64 = 1
            _ = unsafe write(wakeDescriptor, &one, 8)
        }
    }

    /// Marks the loop as about to wait; called on the loop's thread.
    ///
    /// - Returns: false if there are messages, in which case the loop must not wait.
    func fallAsleep() -> Bool {
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        if hasMessages.load(ordering: .sequentiallyConsistent) {
            isAsleep.store(false, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Marks the loop as awake; called on the loop's thread.
    func wake() { isAsleep.store(false, ordering: .relaxed) }

    /// Takes all messages; called on the loop's thread.
    func take() -> [LoopMessage] {
        guard hasMessages.load(ordering: .acquiring) else { return [] }
        return messages.withLock { messages in
            hasMessages.store(false, ordering: .relaxed)
            let taken = messages
            messages = []
            return taken
        }
    }
}
