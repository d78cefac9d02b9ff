import CLinux
import Glibc

/// A counter that threads wait for, with a time limit, so that tests wait for events instead of sleeping.
final class Gate: Sendable {
    private let descriptor = eventfd(0, CInt(EFD_SEMAPHORE) | CInt(EFD_CLOEXEC))

    deinit { close(descriptor) }

    /// Lets one waiter through.
    func open() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
    }

    /// Waits for one `open`.
    ///
    /// - Returns: false after a timeout.
    func wait(milliseconds: CInt = 5000) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) == 1 else { return false }
        var value: UInt64 = 0
        return unsafe read(descriptor, &value, 8) == 8
    }
}

/// Polls a condition until it holds, for at most five seconds.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<5000 {
        if condition() { return true }
        usleep(1000)
    }
    return condition()
}
