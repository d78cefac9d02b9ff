import CLinux
import Glibc
import LinuxSystem

/// Loads that wait for a reading thread, first come, first served.
///
/// Any thread.
final class FileLane: Sendable {
    /// What a reading thread has to do next.
    enum Next {
        case read(LoadTicket)
        case refuse(LoadTicket)
    }

    private struct State {
        var tickets: [LoadTicket] = []
        /// Those that came when the lane was full: said no to before anything is read.
        var refused: [LoadTicket] = []
        var isClosed = false
    }

    /// Counts the waiting tickets, so that each wakes one thread.
    private let semaphore: SharedDescriptor
    private let state = Lock(State())
    private let limit: Int

    /// Creates an empty lane that holds so many loads.
    ///
    /// - Throws: `Errno` when the system refuses a descriptor.
    init(limit: Int) throws(Errno) {
        let flags = CInt(EFD_CLOEXEC) | CInt(EFD_SEMAPHORE)
        semaphore = SharedDescriptor(owning: try checked("eventfd") { eventfd(0, flags) })
        self.limit = max(1, limit)
    }

    /// Puts a load at the end; beyond the limit a reading thread will refuse it.
    ///
    /// - Returns: `false` when the lane is closed.
    func post(_ ticket: LoadTicket) -> Bool {
        let isPosted = state.withLock { state in
            guard !state.isClosed else { return false }
            if state.tickets.count < limit {
                state.tickets.append(ticket)
            } else {
                state.refused.append(ticket)
            }
            return true
        }
        if isPosted { eventfd_write(semaphore.number, 1) }
        return isPosted
    }

    /// The next load; blocks while there is none, `nil` when the lane is closed.
    func take() -> Next? {
        while true {
            var count: eventfd_t = 0
            guard unsafe eventfd_read(semaphore.number, &count) == 0 else {
                if errno == EINTR { continue }
                return nil
            }
            let (next, isClosed) = state.withLock { state -> (Next?, Bool) in
                if let refused = state.refused.popLast() { return (.refuse(refused), state.isClosed) }
                return (state.tickets.isEmpty ? nil : .read(state.tickets.removeFirst()), state.isClosed)
            }
            if let next { return next }
            if isClosed { return nil }
        }
    }

    /// Refuses further loads and wakes every thread for its end.
    ///
    /// - Returns: the loads that nobody took.
    func close() -> [LoadTicket] {
        let rest = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.tickets + state.refused
        }
        eventfd_write(semaphore.number, 1 << 20)
        return rest
    }
}
