import Glibc
import LinuxSystem

/// Answers on their way to one client: encoded heads, and content where it lies.
///
/// A loop fills one batch per readable event and writes it with one call. Only what the socket does not take at once
/// stays with the connection, the batch itself, nothing copied.
struct OutputBatch {
    enum Segment {
        /// A range of `heads`.
        case head(Range<Int>)
        case bytes([UInt8], Range<Int>)
        case file(SharedDescriptor, offset: Int64, length: Int64)

        var count: Int64 {
            switch self {
            case .head(let range), .bytes(_, let range): Int64(range.count)
            case .file(_, _, let length): length
            }
        }
    }

    enum Outcome {
        /// Everything is written.
        case complete
        /// The socket takes no more now; an event will come.
        case blocked
        /// Enough for one turn: others want theirs, and no event will come.
        case yields
    }

    /// How many pieces of memory go into one call.
    static let vectorLimit = 32
    /// Content up to this length is copied behind its head: cheaper than a piece of its own.
    static let copyLimit = 512
    /// What one connection may write in one turn.
    private static let turnLimit: Int64 = 4 << 20
    private static let fileStep: Int64 = 1 << 20

    var heads: [UInt8] = []
    private(set) var segments: [Segment] = []
    /// The exchanges whose answers are in here, in order; empty when the handler does not want completions.
    var exchanges: [ExchangeRecord] = []
    /// All bytes ever put in.
    private(set) var total: Int64 = 0
    /// All bytes the kernel has taken.
    private(set) var written: Int64 = 0
    private var next = 0
    private var offset: Int64 = 0

    init() {
        heads.reserveCapacity(2048)
        segments.reserveCapacity(Self.vectorLimit)
    }

    @inline(__always)
    var isEmpty: Bool { segments.isEmpty }

    /// Whether it is better written before more is put in.
    @inline(__always)
    var isFull: Bool { segments.count >= Self.vectorLimit - 2 || total > 1 << 20 || heads.count > 48 * 1024 }

    /// Makes a segment of everything in `heads` from `start` on.
    @inline(__always)
    mutating func appendHead(from start: Int) {
        total += Int64(heads.count - start)
        if case .head(let last)? = segments.last, last.upperBound == start {
            segments[segments.count - 1] = .head(last.lowerBound..<heads.count)
        } else {
            segments.append(.head(start..<heads.count))
        }
    }

    /// Appends an answer's content.
    @inline(__always)
    mutating func append(_ body: ResponseBody) {
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
        }
    }

    /// Forgets everything but the storage.
    mutating func reset() {
        heads.removeAll(keepingCapacity: true)
        segments.removeAll(keepingCapacity: true)
        exchanges.removeAll(keepingCapacity: true)
        (total, written, next, offset) = (0, 0, 0, 0)
    }
}

extension OutputBatch {
    /// Writes as much as the socket takes, or as one turn allows.
    ///
    /// - Throws: `Errno` when the client is gone, or a file proves shorter than its answer said.
    mutating func write(to descriptor: CInt) throws(Errno) -> Outcome {
        let start = written
        while next < segments.count {
            if written - start > Self.turnLimit { return .yields }
            let count: Int64?
            if case .file(let file, let from, let length) = segments[next] {
                count = try writeFile(descriptor, file.number, from + offset, length - offset)
            } else {
                count = try writeMemory(descriptor)
            }
            guard let count else { return .blocked }
            advance(by: count)
        }
        return .complete
    }

    private func writeFile(_ socket: CInt, _ file: CInt, _ from: Int64, _ left: Int64) throws(Errno) -> Int64? {
        let sent = try SocketCalls.send(socket, file: file, offset: from, count: Int(min(left, Self.fileStep)))
        // The file was truncated: the promised Content-Length cannot be kept, and only a closed connection says so.
        if sent == 0 { throw Errno(EIO, "sendfile") }
        return sent.map(Int64.init)
    }

    private func writeMemory(_ socket: CInt) throws(Errno) -> Int64? {
        if segments.count == 2, written == 0, case .bytes(let bytes, let range) = segments[1] {
            return try writePair(socket, bytes, range)
        }
        var end = next
        while end < segments.count, end - next < Self.vectorLimit {
            if case .file = segments[end] { break }
            end += 1
        }
        let hasMore = end < segments.count
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

    /// One head and one body: what nearly every call is about, without the list.
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

    /// Lists where segments lie in memory, each pinned by the call that lists the rest, then sends.
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
        case .file: return send(count)
        }
        return unsafe owner.withUnsafeBytes { raw in
            let start = range.lowerBound + skipped
            // The memory is only read from.
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
