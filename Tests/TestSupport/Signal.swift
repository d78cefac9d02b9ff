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
    /// The file and line of the wait, where they are known.
    package var place: String?

    /// Creates an error.
    package init(place: String? = nil) { self.place = place }
}

/// Repeats a question that nothing signals until it has an answer, and blocks the calling thread for a millisecond between.
///
/// - Throws: `SignalTimeout` after 20 s, so that a test fails instead of hanging, and what the question throws.
@discardableResult
package func waitFor<Answer>(
    file: String = #fileID,
    line: Int = #line,
    _ question: () throws -> Answer?
) throws -> Answer {
    let deadline = SystemTime().monotonic + 20_000_000_000
    while true {
        if let answer = try question() { return answer }
        guard SystemTime().monotonic < deadline else { throw SignalTimeout(place: "\(file):\(line)") }
        // Not a mere yield: what the test waits for may need the processor.
        usleep(1_000)
    }
}

/// Blocks the calling thread while a condition holds that nothing signals, and asks again and again.
///
/// - Throws: `SignalTimeout` after 20 s, and what the condition throws.
package func waitWhile(
    file: String = #fileID,
    line: Int = #line,
    _ condition: @autoclosure () throws -> Bool
) throws {
    try waitFor(file: file, line: line) { try condition() ? nil : true }
}

/// Suspends the calling task while a condition holds that nothing signals.
///
/// - Throws: `SignalTimeout` after 20 s, and what the condition throws.
package func suspendWhile(
    file: String = #fileID,
    line: Int = #line,
    _ condition: @autoclosure () async throws -> Bool
) async throws {
    let deadline = SystemTime().monotonic + 20_000_000_000
    while try await condition() {
        guard SystemTime().monotonic < deadline else { throw SignalTimeout(place: "\(file):\(line)") }
        try await Task.sleep(nanoseconds: 1_000_000)
    }
}
