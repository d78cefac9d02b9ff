import CLinux
import Glibc
import LinuxSystem

/// A bounded FIFO queue of loads that wait for a reading thread; any thread.
final class FileLane: Sendable {
    /// The next task of a reading thread.
    enum Next {
        case read(LoadTicket)
        case refuse(LoadTicket)
    }

    private struct State {
        var tickets: [LoadTicket] = []
        /// Loads that arrived while the lane was full; they are refused before any file is read.
        var refused: [LoadTicket] = []
        var isClosed = false
    }

    /// Counts the waiting tickets; each wakes one thread.
    private let semaphore: SharedDescriptor
    private let state = Lock(State())
    private let limit: Int

    /// Creates an empty lane with a maximum number of waiting loads.
    ///
    /// - Throws: `Errno` if the system cannot create a descriptor.
    init(limit: Int) throws(Errno) {
        let flags = CInt(EFD_CLOEXEC) | CInt(EFD_SEMAPHORE)
        semaphore = SharedDescriptor(owning: try checked("eventfd") { eventfd(0, flags) })
        self.limit = max(1, limit)
    }

    /// Enqueues a load; a reading thread refuses loads beyond the limit.
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

    /// Returns the next load and blocks while there is none; `nil` once the lane is closed.
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

    /// Closes the lane and wakes all threads, which then exit.
    ///
    /// - Returns: the loads that no thread has taken.
    func close() -> [LoadTicket] {
        let rest = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.tickets + state.refused
        }
        eventfd_write(semaphore.number, 1 << 20)
        return rest
    }
}
