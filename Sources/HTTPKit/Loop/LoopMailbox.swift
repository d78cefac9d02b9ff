import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// What other threads tell a loop.
enum LoopMessage: Sendable {
    /// The answer to the request with this sequence number on this connection.
    case complete(ConnectionID, UInt32, Response)
    /// Nobody will complete that request.
    case abandoned(ConnectionID, UInt32)
    /// Stop accepting, finish what is in flight, and end at the latest at this monotonic time.
    case drain(deadline: Int64)
    /// Call back: a sign that the loop turns.
    case answer(@Sendable () -> Void)
    /// Go by other bounds from now on.
    case adjust(ServerTimeouts, maximumConnections: Int)
}

/// The only way into a loop from other threads: a queue, and an eventfd that is written to only when the loop sleeps.
///
/// Its growth is bounded by the promises that are open, one per connection.
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

    /// Puts a message in, from any thread.
    func post(_ message: LoopMessage) {
        messages.withLock { $0.append(message) }
        // Sequentially consistent on both sides: either the loop sees the message before it sleeps, or we see it asleep.
        hasMessages.store(true, ordering: .sequentiallyConsistent)
        if isAsleep.exchange(false, ordering: .sequentiallyConsistent) {
            var one: UInt64 = 1
            _ = unsafe write(wakeDescriptor, &one, 8)
        }
    }

    /// Says, on the loop's thread, that the loop is about to wait.
    ///
    /// - Returns: false when there are messages: it must not wait.
    func fallAsleep() -> Bool {
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        if hasMessages.load(ordering: .sequentiallyConsistent) {
            isAsleep.store(false, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Says, on the loop's thread, that the loop no longer waits.
    func wake() { isAsleep.store(false, ordering: .relaxed) }

    /// Takes what has arrived, on the loop's thread.
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
