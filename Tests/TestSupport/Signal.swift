import CLinux
import Glibc
import LinuxSystem

/// A value that threads change and tests wait for.
package final class Signal<Value: Sendable>: Sendable {
    private let state: Lock<Value>
    private let changed = Lock<[CInt]>([])

    /// Creates a signal with a value.
    package init(_ value: Value) { state = Lock(value) }

    /// The current value.
    package var value: Value { state.withLock { $0 } }

    /// Changes the value and wakes all waiters.
    package func update(_ change: (inout Value) -> Void) {
        state.withLock { change(&$0) }
        // Under the lock: a descriptor no longer in the list may be closed and reused for another file.
        changed.withLock { waiting in
            for descriptor in waiting { eventfd_write(descriptor, 1) }
            waiting = []
        }
    }

    /// Blocks the calling thread until the condition holds.
    ///
    /// - Throws: `SignalTimeout` after 20 s, so that a test fails instead of hanging.
    @discardableResult
    package func wait(until condition: (Value) -> Bool) throws(SignalTimeout) -> Value {
        let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
        defer { close(descriptor) }
        let deadline = SystemTime().monotonic + 20_000_000_000
        while true {
            changed.withLock { $0.append(descriptor) }
            let now = value
            let left = (deadline - SystemTime().monotonic) / 1_000_000
            if condition(now) || left <= 0 {
                changed.withLock { $0.removeAll { $0 == descriptor } }
                if condition(now) { return now }
                throw SignalTimeout()
            }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&entry, 1, CInt(left)) > 0 {
                var count: eventfd_t = 0
                unsafe eventfd_read(descriptor, &count)
            }
        }
    }
}

/// The condition a test waited for did not hold in time.
package struct SignalTimeout: Error {
    /// Creates an error.
    package init() {}
}

/// Blocks the calling thread while a condition holds that nothing signals, and asks again and again.
///
/// - Throws: `SignalTimeout` after 20 s, so that a test fails instead of hanging, and what the condition throws.
package func waitWhile(_ condition: @autoclosure () throws -> Bool) throws {
    let deadline = SystemTime().monotonic + 20_000_000_000
    while try condition() {
        guard SystemTime().monotonic < deadline else { throw SignalTimeout() }
        sched_yield()
    }
}
