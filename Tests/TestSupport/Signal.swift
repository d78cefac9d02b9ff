import CLinux
import Glibc
import LinuxSystem

/// A value that one thread changes and a test waits on.
package final class Signal<Value: Sendable>: Sendable {
    private let state: Lock<Value>
    private let changed = Lock<[CInt]>([])

    /// Starts with a value.
    package init(_ value: Value) { state = Lock(value) }

    /// The value now.
    package var value: Value { state.withLock { $0 } }

    /// Changes the value and wakes who waits.
    package func update(_ change: (inout Value) -> Void) {
        state.withLock { change(&$0) }
        let waiting = changed.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for descriptor in waiting { eventfd_write(descriptor, 1) }
    }

    /// Blocks the calling thread until the condition holds.
    @discardableResult
    package func wait(until condition: (Value) -> Bool) -> Value {
        let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
        defer { close(descriptor) }
        while true {
            changed.withLock { $0.append(descriptor) }
            let now = value
            if condition(now) {
                changed.withLock { $0.removeAll { $0 == descriptor } }
                return now
            }
            var count: eventfd_t = 0
            unsafe eventfd_read(descriptor, &count)
        }
    }
}
