import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// Where log lines go: one open descriptor, written with one system call a batch, never waited for.
///
/// Any thread. A reader that stands still (a full pipe, a stuck journal) costs lines, which are counted, never time: an
/// event loop must not block. Batches of whole lines stay whole.
final class LineSink: Sendable {
    /// How a descriptor can be written without blocking, although it is shared with other processes and so cannot be
    /// switched to non-blocking.
    private enum Destination {
        /// A regular file: writes do not wait for a reader.
        case file
        /// A socket (the journal): `MSG_DONTWAIT`.
        case socket
        /// A pipe or a terminal: poll first, then at most `PIPE_BUF` bytes, which fit when the pipe is writable (pipe(7)).
        case polled
    }

    private static let atomicBytes = 4_096

    private let descriptor: CInt
    private let kind: Destination
    private let pendingLimit: Int
    /// What a slow reader has not taken yet; begins within a line when a socket took a part of one.
    private let pending = Lock<[UInt8]>([])
    private let droppedLines = Atomic<UInt64>(0)

    /// Takes a descriptor, which stays open and stays the caller's.
    ///
    /// - Parameter pendingLimit: bytes that are kept for a slow reader.
    init(descriptor: CInt, pendingLimit: Int = 1 << 20) {
        self.descriptor = descriptor
        self.pendingLimit = pendingLimit
        var status = stat()
        let mode = unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : S_IFIFO
        kind = mode == S_IFREG ? .file : mode == S_IFSOCK ? .socket : .polled
    }

    /// Lines given up since the start.
    var dropped: UInt64 { droppedLines.load(ordering: .relaxed) }

    /// Writes whole lines, or keeps what the reader does not take now.
    func write(_ lines: [UInt8]) {
        guard !lines.isEmpty else { return }
        if kind == .file {
            // O_APPEND or not, one write(2) is one piece: no lock among the loops.
            let taken = writeOnce(lines, 0..<lines.count)
            if taken < lines.count { drop(lines[taken...]) }
            return
        }
        pending.withLock { pending in
            var first = 0
            if pending.isEmpty || drain(&pending) { first = push(lines) }
            guard first < lines.count else { return }
            if pending.count + lines.count - first <= pendingLimit {
                pending += lines[first...]
            } else if first == 0 {
                drop(lines[...])
            } else {
                // A part of a line is on its way: the rest of it must follow, what is behind it need not.
                let end = lines[first...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? lines.count
                pending += lines[first..<end]
                drop(lines[end...])
            }
        }
    }

    /// Tries again what a slow reader has not taken.
    ///
    /// - Returns: whether nothing is left.
    @discardableResult
    func flush() -> Bool {
        kind == .file || pending.withLock { $0.isEmpty || drain(&$0) }
    }

    private func drain(_ pending: inout [UInt8]) -> Bool {
        pending.removeFirst(push(pending))
        return pending.isEmpty
    }

    /// Writes as much as can be written now; returns the bytes taken.
    private func push(_ bytes: [UInt8]) -> Int {
        var done = 0
        while done < bytes.count {
            let end = kind == .polled ? chunkEnd(bytes, from: done) : bytes.count
            if kind == .polled, !isWritable { break }
            let taken = writeOnce(bytes, done..<end)
            if taken == 0 { break }
            done += taken
        }
        return done
    }

    /// The end of the last whole line within `PIPE_BUF` bytes; of a longer line, that many bytes.
    private func chunkEnd(_ bytes: [UInt8], from start: Int) -> Int {
        let limit = min(bytes.count, start + LineSink.atomicBytes)
        return bytes[start..<limit].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? limit
    }

    private var isWritable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    /// One system call; a failure takes everything, so that nobody tries for ever.
    private func writeOnce(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        unsafe bytes.withUnsafeBytes { raw in
            let part = unsafe UnsafeRawBufferPointer(rebasing: raw[range])
            while true {
                let count =
                    kind == .socket
                    ? unsafe send(descriptor, part.baseAddress, part.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
                    : unsafe Glibc.write(descriptor, part.baseAddress, part.count)
                if count >= 0 { return count }
                if errno == EINTR { continue }
                if errno == EAGAIN { return 0 }
                drop(bytes[range])
                return range.count
            }
        }
    }

    private func drop(_ lines: ArraySlice<UInt8>) {
        let count = lines.count { $0 == UInt8(ascii: "\n") }
        droppedLines.wrappingAdd(UInt64(count), ordering: .relaxed)
    }
}
