import Glibc
import LinuxSystem

/// Ends the calls of a connection from another thread.
package final class LogInterruption: Sendable {
    private struct State {
        var isInterrupted = false
        var descriptor: CInt?
    }

    private let state = Lock(State())

    /// Creates an interruption that has not happened.
    package init() {}

    /// Makes the current call of the connection fail, and all later ones.
    package func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            // Under the lock: a descriptor that is no longer registered may be another file.
            if let descriptor = state.descriptor { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    /// Whether `interrupt` was called.
    package var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Registers the socket whose calls are to end; `nil` before it is closed.
    func register(_ descriptor: CInt?) {
        state.withLock { state in
            state.descriptor = descriptor
            if let descriptor, state.isInterrupted { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }
}
