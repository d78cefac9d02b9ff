import Glibc
import LinuxSystem

/// Responses to be written to one client: encoded heads, and content without copying.
///
/// A loop fills one batch per read event and writes it with one call. A batch that the socket does not accept at once moves to
/// the connection as it is.
struct OutputBatch {
    enum Segment {
        /// A range of `heads`.
        case head(Range<Int>)
        case bytes([UInt8], Range<Int>)
        case file(SharedDescriptor, offset: Int64, length: Int64)
        /// A part of known length of a growing file.
        case growing(GrowingFile.Reader, offset: Int64, length: Int64)
        /// The rest of a growing file, whose length is unknown; always the last segment.
        case open(GrowingFile.Reader, offset: Int64, isChunked: Bool)

        var count: Int64 {
            switch self {
            case .head(let range), .bytes(_, let range): Int64(range.count)
            case .file(_, _, let length), .growing(_, _, let length): length
            case .open: 0
            }
        }
    }

    enum Outcome {
        /// Everything is written.
        case complete
        /// The socket is full; an event will follow.
        case blocked
        /// The limit for one turn is reached; no event will follow.
        case yields
        /// A growing file has no more bytes yet; `follow` must be called.
        case waits
    }

    /// The maximum number of buffers per call.
    static let vectorLimit = 32
    /// Content up to this size, in bytes, is copied after its head, which is cheaper than a buffer of its own.
    static let copyLimit = 512
    /// The maximum number of bytes one connection may write in one turn.
    private static let turnLimit: Int64 = 4 << 20
    private static let fileStep: Int64 = 1 << 20

    var heads: [UInt8] = []
    private(set) var segments: [Segment] = []
    /// The exchanges whose responses are in the batch, in order; empty if the handler does not want completions.
    var exchanges: [ExchangeRecord] = []
    /// The number of bytes added so far.
    private(set) var total: Int64 = 0
    /// The number of bytes the kernel has accepted.
    private(set) var written: Int64 = 0
    /// Whether writing stopped because a growing file has no more bytes yet.
    private(set) var isWaiting = false
    private var next = 0
    private var offset: Int64 = 0

    init() {
        heads.reserveCapacity(2048)
        segments.reserveCapacity(Self.vectorLimit)
    }

    @inline(__always)
    var isEmpty: Bool { segments.isEmpty }

    /// Whether the batch should be written before more is added.
    @inline(__always)
    var isFull: Bool { segments.count >= Self.vectorLimit - 2 || total > 1 << 20 || heads.count > 48 * 1024 || isOpen }

    /// Whether the batch ends with a body of unknown length; nothing can be added then.
    @inline(__always)
    var isOpen: Bool { if case .open? = segments.last { true } else { false } }

    /// Adds everything in `heads` from `start` on as a segment.
    @inline(__always)
    mutating func appendHead(from start: Int) {
        total += Int64(heads.count - start)
        if case .head(let last)? = segments.last, last.upperBound == start {
            segments[segments.count - 1] = .head(last.lowerBound..<heads.count)
        } else {
            segments.append(.head(start..<heads.count))
        }
    }

    /// Appends the content of a response.
    ///
    /// - Parameter isChunked: whether content of unknown length is sent in chunks, rather than until the connection closes.
    @inline(__always)
    mutating func append(_ body: ResponseBody, isChunked: Bool) {
        switch body {
        case .none: break
        case .bytes(let bytes, let range):
            if range.count <= Self.copyLimit {
                let start = heads.count
                heads.append(contentsOf: bytes[range])
                appendHead(from: start)
            } else {
                segments.append(.bytes(bytes, range))
                total += Int64(range.count)
            }
        case .file(let file, let offset, let length):
            guard length > 0 else { return }
            segments.append(.file(file, offset: offset, length: length))
            total += length
        case .growing(let reader, let offset, let length?):
            guard length > 0 else { return }
            segments.append(.growing(reader, offset: offset, length: length))
            total += length
        case .growing(let reader, let offset, nil):
            segments.append(.open(reader, offset: offset, isChunked: isChunked))
        }
    }

    /// Empties the batch but keeps its storage.
    mutating func reset() {
        heads.removeAll(keepingCapacity: true)
        segments.removeAll(keepingCapacity: true)
        exchanges.removeAll(keepingCapacity: true)
        (total, written, next, offset) = (0, 0, 0, 0)
        isWaiting = false
    }
}

extension OutputBatch {
    /// Writes as much as the socket accepts or one turn allows.
    ///
    /// - Throws: `Errno` if the client is gone, or a file is shorter than announced.
    mutating func write(to descriptor: CInt) throws(Errno) -> Outcome {
        let start = written
        isWaiting = false
        while next < segments.count {
            if written - start > Self.turnLimit { return .yields }
            let count: Int64?
            switch segments[next] {
            case .file(let file, let from, let length):
                count = try writeFile(descriptor, file.number, from + offset, length - offset)
            case .growing(let reader, let from, let length):
                guard let ready = try Self.ready(reader, beyond: from + offset) else { return wait() }
                let source = reader.source.file.number
                count = try writeFile(descriptor, source, from + offset, min(length - offset, ready))
                if let count { reader.read(to: Int(from + offset + count)) }
            case .open:
                guard try extend() else { return wait() }
                continue
            case .head, .bytes:
                count = try writeMemory(descriptor)
            }
            guard let count else { return .blocked }
            advance(by: count)
        }
        return .complete
    }

    /// The file that a failed `write` was about to send; `nil` if the client is gone.
    func file(of error: Errno) -> SharedDescriptor? {
        guard error.code == EIO, next < segments.count, case .file(let file, _, _) = segments[next] else { return nil }
        return file
    }

    private func writeFile(_ socket: CInt, _ file: CInt, _ from: Int64, _ left: Int64) throws(Errno) -> Int64? {
        let sent = try SocketCalls.send(socket, file: file, offset: from, count: Int(min(left, Self.fileStep)))
        // The file was truncated: the announced Content-Length cannot be met, so the connection must be closed.
        if sent == 0 { throw Errno(EIO, "sendfile") }
        return sent.map(Int64.init)
    }

    private func writeMemory(_ socket: CInt) throws(Errno) -> Int64? {
        if segments.count == 2, written == 0, case .bytes(let bytes, let range) = segments[1] {
            return try writePair(socket, bytes, range)
        }
        var end = next
        while end < segments.count, end - next < Self.vectorLimit {
            guard segments[end].isMemory else { break }
            end += 1
        }
        let hasMore = end < segments.count && segments[end].isReady
        let sent = try SocketCalls.again("sendmsg") {
            unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.vectorLimit) { vectors in
                guard let base = vectors.baseAddress else { return 0 }
                return unsafe gather(next, end, Int(offset), base, 0) { count in
                    unsafe SocketCalls.send(socket, base, count, hasMore: hasMore)
                }
            }
        }
        return sent.map(Int64.init)
    }

    /// Writes one head and one body, by far the most common case, without gathering.
    @inline(__always)
    private func writePair(_ socket: CInt, _ bytes: [UInt8], _ range: Range<Int>) throws(Errno) -> Int64? {
        let sent = try SocketCalls.again("sendmsg") {
            unsafe heads.withUnsafeBytes { head in
                unsafe bytes.withUnsafeBytes { body in
                    unsafe SocketCalls.send(socket, head, UnsafeRawBufferPointer(rebasing: body[range]))
                }
            }
        }
        return sent.map(Int64.init)
    }

    /// Gathers segments recursively, each pinned by its own stack frame, then sends them.
    private func gather(
        _ index: Int,
        _ end: Int,
        _ skipped: Int,
        _ vectors: UnsafeMutablePointer<iovec>,
        _ count: Int,
        _ send: (Int) -> Int
    ) -> Int {
        guard index < end else { return send(count) }
        let owner: [UInt8]
        let range: Range<Int>
        switch segments[index] {
        case .head(let part): (owner, range) = (heads, part)
        case .bytes(let bytes, let part): (owner, range) = (bytes, part)
        case .file, .growing, .open: return send(count)
        }
        return unsafe owner.withUnsafeBytes { raw in
            let start = range.lowerBound + skipped
            // The kernel only reads the memory.
            unsafe vectors[count] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: raw.baseAddress?.advanced(by: start)),
                iov_len: range.upperBound - start
            )
            return unsafe gather(index + 1, end, 0, vectors, count + 1, send)
        }
    }

    private mutating func advance(by count: Int64) {
        written += count
        var left = count
        while next < segments.count {
            if case .open = segments[next] { return }
            let room = segments[next].count - offset
            if left < room {
                offset += left
                return
            }
            left -= room
            offset = 0
            next += 1
        }
    }
}

/// Bodies that are still arriving.
extension OutputBatch {
    /// The most bytes of one chunk.
    private static let chunkLimit: Int64 = 1 << 20

    /// Calls `wake` once the growing file that the batch waits for has grown or ended.
    ///
    /// - Returns: true if it has already, in which case `wake` is not called.
    func follow(_ wake: @escaping @Sendable () -> Void) -> Bool {
        let reader: GrowingFile.Reader
        let seen: Int
        switch segments[next] {
        case .growing(let found, let from, _): (reader, seen) = (found, Int(from + offset))
        case .open(let found, let from, _): (reader, seen) = (found, Int(from))
        default: return true
        }
        let progress = reader.progress(beyond: seen, wake: wake)
        return progress.count > seen || progress.end != nil
    }

    /// The time since which the client has delayed others that wait for more of a body; `nil` if it does not.
    ///
    /// Also by a body that follows another one: nothing of it is read until that is written.
    var delaysOthersSince: Int64? { segments[next...].compactMap { $0.reader?.delaysOthersSince }.min() }

    private mutating func wait() -> Outcome {
        isWaiting = true
        return .waits
    }

    /// The bytes of a file beyond an offset; `nil` if there are none yet.
    ///
    /// - Throws: `Errno` if the file failed, or ended before the offset: the announced length cannot be met.
    private static func ready(_ reader: GrowingFile.Reader, beyond offset: Int64) throws(Errno) -> Int64? {
        let progress = reader.source.progress
        let ready = Int64(progress.count) - offset
        if progress.end == .failed || progress.end == .complete && ready <= 0 { throw Errno(EIO, "body") }
        return ready > 0 ? ready : nil
    }

    /// Adds the next chunk, or the end, of a body of unknown length, which is the next segment; false if there is none yet.
    ///
    /// - Throws: `Errno` if the file failed; the connection must be closed without the last chunk (RFC 9112 §7.1).
    private mutating func extend() throws(Errno) -> Bool {
        guard case .open(let reader, let from, let isChunked) = segments[next] else { return false }
        let progress = reader.source.progress
        let ready = Int64(progress.count) - from
        if progress.end == .failed { throw Errno(EIO, "body") }
        guard ready > 0 || progress.end != nil else { return false }
        // Everything before this segment is written.
        segments.removeAll(keepingCapacity: true)
        heads.removeAll(keepingCapacity: true)
        (next, offset) = (0, 0)
        guard ready > 0 else {
            if isChunked { appendText("0\r\n\r\n") }
            if !exchanges.isEmpty { exchanges[exchanges.count - 1].end = total }
            return true
        }
        let part = min(ready, Self.chunkLimit)
        if isChunked { appendText(String(part, radix: 16) + "\r\n") }
        segments.append(.growing(reader, offset: from, length: part))
        total += part
        if isChunked { appendText("\r\n") }
        segments.append(.open(reader, offset: from + part, isChunked: isChunked))
        return true
    }

    private mutating func appendText(_ text: String) {
        let start = heads.count
        heads.append(contentsOf: text.utf8)
        appendHead(from: start)
    }
}

extension OutputBatch.Segment {
    /// Whether the segment is sent from memory.
    fileprivate var isMemory: Bool {
        switch self {
        case .head, .bytes: true
        case .file, .growing, .open: false
        }
    }

    /// The membership in a growing file, if the segment is one.
    fileprivate var reader: GrowingFile.Reader? {
        switch self {
        case .head, .bytes, .file: nil
        case .growing(let reader, _, _), .open(let reader, _, _): reader
        }
    }

    /// Whether bytes of the segment can follow at once, so that the preceding ones may wait for them.
    fileprivate var isReady: Bool {
        switch self {
        case .head, .bytes, .file: true
        case .growing(let reader, let from, _), .open(let reader, let from, _):
            Int64(reader.source.progress.count) > from
        }
    }
}
