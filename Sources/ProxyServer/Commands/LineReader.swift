import Glibc

/// Reads lines of any length from a descriptor and keeps each up to a maximum length.
struct LineReader: ~Copyable {
    /// A line without its LF.
    struct Line: Sendable, Hashable {
        var bytes: [UInt8]
        /// Whether the line was longer than the maximum and has been truncated.
        var isCut: Bool
    }

    private let descriptor: CInt
    private let bound: Int
    private var buffer: [UInt8]
    private var unread = 0..<0

    /// Reads from a descriptor, which is not closed.
    ///
    /// - Parameters:
    ///   - bound: the maximum length of a line in bytes.
    ///   - chunk: the bytes per read.
    init(descriptor: CInt, bound: Int, chunk: Int = 1 << 16) {
        self.descriptor = descriptor
        self.bound = bound
        buffer = [UInt8](repeating: 0, count: chunk)
    }

    /// Whether the buffer is empty, so that `next` may block.
    var isEmpty: Bool { unread.isEmpty }

    /// Returns the next line, or `nil` at the end.
    ///
    /// A final line without LF is returned; an empty one after the last LF is not.
    mutating func next() -> Line? {
        var line = Line(bytes: [], isCut: false)
        var isStarted = false
        while true {
            if unread.isEmpty {
                guard fill() else { return isStarted ? line : nil }
            }
            isStarted = true
            let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
            let part = unread.lowerBound..<(end ?? unread.upperBound)
            let room = bound - line.bytes.count
            line.bytes += buffer[part.prefix(room)]
            line.isCut = line.isCut || part.count > room
            unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
            if end != nil { return line }
        }
    }

    /// Reads more bytes; returns false at the end and after an error.
    private mutating func fill() -> Bool {
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            unread = 0..<max(0, count)
            return count > 0
        }
    }
}
