import CLinux
import Glibc
import LinuxSystem

/// A gate that blocks scripts until a test opens it, once and for all.
package final class ScriptedGate: Sendable {
    private let event: SharedDescriptor

    /// Creates a closed gate.
    ///
    /// - Throws: `Errno` if the system cannot create a descriptor.
    package init() throws {
        event = SharedDescriptor(owning: try checked("eventfd") { eventfd(0, CInt(EFD_CLOEXEC)) })
    }

    /// Opens the gate for current and future waiters.
    package func open() {
        eventfd_write(event.number, 1)
    }

    /// Blocks the thread until the gate is open; for scripts, not for `async` tests.
    ///
    /// - Returns: whether the gate opened in time.
    @discardableResult
    package func wait(milliseconds: Int = 30_000) -> Bool {
        var entry = pollfd(fd: event.number, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = unsafe poll(&entry, 1, CInt(milliseconds))
            if ready < 0 && errno == EINTR { continue }
            return ready > 0
        }
    }
}
