import LinuxSystem

/// The free bytes of a file system, measured apart from the threads that ask for them, since statvfs(2) waits for a disk that hangs.
///
/// Any thread may read it. Each reading starts the next measurement, so the value is as old as the reading before.
final class FreeSpace: Sendable {
    private struct State {
        var bytes: Int?
        var isMeasuring = false
    }

    private let state: Lock<State>
    private let measure: @Sendable () -> Int?
    private let submit: @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// Measures the free bytes for the first time.
    ///
    /// - Parameters:
    ///   - measure: the free bytes, or `nil` if they are unknown; may block.
    ///   - submit: runs a measurement on another thread; false if it cannot.
    init(
        measure: @escaping @Sendable () -> Int?,
        submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
    ) {
        self.measure = measure
        self.submit = submit
        state = Lock(State(bytes: measure()))
    }

    /// The free bytes as last measured; `nil` if they are unknown.
    var bytes: Int? {
        let (bytes, isFirst) = state.withLock { state in
            defer { state.isMeasuring = true }
            return (state.bytes, !state.isMeasuring)
        }
        // At most one measurement at a time, so that a disk that hangs takes one thread.
        if isFirst, !submit({ [self] in note(measure()) }) { state.withLock { $0.isMeasuring = false } }
        return bytes
    }

    private func note(_ bytes: Int?) {
        state.withLock { $0 = State(bytes: bytes) }
    }
}
