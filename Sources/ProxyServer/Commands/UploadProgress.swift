import Glibc
import LinuxSystem

/// Shows on standard error how much of a file has been read, from a thread of its own, while a call that reads it blocks.
///
/// Only on a terminal, and only for a regular file.
final class UploadProgress: Sendable {
    private struct State: Sendable {
        var line: ProgressLine
        var isOver = false
    }

    private let state: Lock<State>

    /// Microseconds between two looks at the file's offset.
    private static let interval: UInt32 = 200_000

    /// Starts to watch the offset of a descriptor, which must stay open until `end`.
    init(of descriptor: CInt, time: any TimeSource = SystemTime()) {
        let length = ProgressLine.length(of: descriptor)
        state = Lock(State(line: ProgressLine(total: length, unit: .bytes, time: time)))
        guard length != nil, isatty(STDERR_FILENO) == 1 else { return }
        // Without a thread there is no progress to see.
        try? SystemThread.start(name: "upload") { [self] in
            while show(lseek(descriptor, 0, SEEK_CUR)) { usleep(Self.interval) }
        }
    }

    /// Ends the display; nothing is written after this call.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.line.clear()
        }
    }

    /// - Returns: whether to go on.
    private func show(_ offset: Int) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.line.show(max(0, offset))
            return true
        }
    }
}
