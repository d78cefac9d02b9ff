import CLinux
import Glibc
import LinuxSystem

/// An eventfd(2) counter: any thread may raise it, and a thread can poll it together with sockets.
final class WakeEvent: Sendable {
    /// Readable while the counter is above zero.
    let descriptor: CInt

    /// Creates a counter of zero; with `semaphore`, `take` lowers it by one instead of to zero.
    init(semaphore: Bool = false) throws(Errno) {
        let flags = CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK) | (semaphore ? CInt(EFD_SEMAPHORE) : 0)
        descriptor = try checked("eventfd") { eventfd(0, flags) }
    }

    deinit {
        close(descriptor)
    }

    /// Raises the counter by one.
    func signal() {
        _ = eventfd_write(descriptor, 1)
    }

    /// Lowers the counter; `false` if it is zero.
    @discardableResult
    func take() -> Bool {
        var value: eventfd_t = 0
        return unsafe eventfd_read(descriptor, &value) == 0
    }

    /// Lowers the counter, after waiting until it is above zero for some milliseconds at most; -1 for no limit.
    func wait(upTo milliseconds: CInt) {
        guard milliseconds >= 0 else { return wait() }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, milliseconds)
        take()
    }

    /// Waits until this event or another one is raised, and lowers only the other one; returns whether this one is raised.
    func wait(orFor other: WakeEvent) -> Bool {
        var entries = [descriptor, other.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), -1) > 0 else { return false }
        if entries[1].revents != 0 { other.take() }
        return entries[0].revents != 0
    }

    /// Blocks until the counter is above zero and lowers it.
    func wait() {
        while !take() {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, -1)
        }
    }
}
