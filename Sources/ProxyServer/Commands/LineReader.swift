import Glibc

/// Reads lines from a descriptor, as many as there are, each kept up to a bound.
struct LineReader: ~Copyable {
    /// A line without its LF.
    struct Line: Sendable, Hashable {
        var bytes: [UInt8]
        /// Whether the line was longer than the bound, and only its beginning is kept.
        var isCut: Bool
    }

    private let descriptor: CInt
    private let bound: Int
    private var buffer: [UInt8]
    private var unread = 0..<0

    /// Reads from a descriptor, which stays open.
    ///
    /// - Parameters:
    ///   - bound: bytes of a line that are kept.
    ///   - chunk: bytes that are read at once.
    init(descriptor: CInt, bound: Int, chunk: Int = 1 << 16) {
        self.descriptor = descriptor
        self.bound = bound
        buffer = [UInt8](repeating: 0, count: chunk)
    }

    /// Whether the next line may have to be waited for.
    var isEmpty: Bool { unread.isEmpty }

    /// The next line, `nil` at the end.
    ///
    /// A last line without LF counts, an empty one behind the last LF does not.
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

    /// Reads more; false at the end, and where nothing can be read any more.
    private mutating func fill() -> Bool {
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            unread = 0..<max(0, count)
            return count > 0
        }
    }
}
