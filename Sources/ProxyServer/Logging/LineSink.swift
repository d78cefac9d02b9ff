import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// Writes log lines to a descriptor, one system call per batch, without blocking; any thread.
///
/// If the reader is too slow (a full pipe, a stuck journal), lines are dropped and counted, because an event loop must not block.
/// Batches of complete lines stay complete.
final class LineSink: Sendable {
    /// The method of writing without blocking to a descriptor that is shared with other processes, and so cannot be set to
    /// non-blocking mode.
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
    /// Bytes that a slow reader has not accepted yet; may begin within a line after a partial write to a socket.
    private let pending = Lock<[UInt8]>([])
    private let droppedLines = Atomic<UInt64>(0)

    /// Creates a sink for a descriptor that the caller continues to own.
    ///
    /// - Parameter pendingLimit: the maximum bytes that are buffered for a slow reader.
    init(descriptor: CInt, pendingLimit: Int = 1 << 20) {
        self.descriptor = descriptor
        self.pendingLimit = pendingLimit
        var status = stat()
        let mode = unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : S_IFIFO
        kind = mode == S_IFREG ? .file : mode == S_IFSOCK ? .socket : .polled
    }

    /// The lines dropped since the start.
    var dropped: UInt64 { droppedLines.load(ordering: .relaxed) }

    /// Writes complete lines, and buffers those that the reader does not accept now.
    func write(_ lines: [UInt8]) {
        guard !lines.isEmpty else { return }
        if kind == .file {
            // A single write(2) is not interleaved with others, so loops need no lock.
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
                // A line was written partially: its rest must follow, later lines may be dropped.
                let end = lines[first...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? lines.count
                pending += lines[first..<end]
                drop(lines[end...])
            }
        }
    }

    /// Tries again to write buffered bytes.
    ///
    /// - Returns: whether the buffer is empty.
    @discardableResult
    func flush() -> Bool {
        kind == .file || pending.withLock { $0.isEmpty || drain(&$0) }
    }

    private func drain(_ pending: inout [UInt8]) -> Bool {
        pending.removeFirst(push(pending))
        return pending.isEmpty
    }

    /// Writes as much as possible without blocking; returns the number of bytes.
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

    /// The end of the last complete line within `PIPE_BUF` bytes, or `PIPE_BUF` for a longer line.
    private func chunkEnd(_ bytes: [UInt8], from start: Int) -> Int {
        let limit = min(bytes.count, start + LineSink.atomicBytes)
        return bytes[start..<limit].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? limit
    }

    private var isWritable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    /// Writes with one system call; a failure counts as written, so that it is not retried forever.
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
