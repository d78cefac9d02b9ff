/// Reads small parts of a file anywhere in it, and keeps the last piece, since parts that follow each other are asked for in turn.
struct FileProbe {
    /// The length of the file in bytes.
    let length: Int
    /// The bytes that may still be read.
    private var budget: Int
    private let read: (Range<Int>) -> [UInt8]?
    private var start = 0
    private var piece: [UInt8] = []

    /// Bytes that are read at once; a segment's or a chunk's beginning rarely lies within the piece of the one before.
    private static let pieceLength = 512

    /// Creates a probe.
    ///
    /// - Parameters:
    ///   - budget: the maximum number of bytes to read.
    ///   - read: returns the bytes of a range within the file; `nil` if they cannot be read.
    init(length: Int, budget: Int, read: @escaping (Range<Int>) -> [UInt8]?) {
        self.length = length
        self.budget = budget
        self.read = read
    }

    /// Returns `count` bytes at an offset; `nil` if the file does not have them or the budget is spent.
    mutating func bytes(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= length, length - offset >= count else { return nil }
        if offset < start || offset + count > start + piece.count {
            let wanted = min(max(count, Self.pieceLength), length - offset)
            guard wanted <= budget, let found = read(offset..<offset + wanted), found.count == wanted else {
                return nil
            }
            budget -= wanted
            (start, piece) = (offset, found)
        }
        return piece[offset - start..<offset - start + count]
    }

    /// Up to seven bytes at an offset as a number, most significant first; `nil` past the end.
    mutating func bigEndian(at offset: Int, bytes count: Int) -> Int? {
        bytes(at: offset, count: count)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Up to seven bytes at an offset as a number, least significant first; `nil` past the end.
    mutating func littleEndian(at offset: Int, bytes count: Int) -> Int? {
        bytes(at: offset, count: count)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether ASCII text is found at an offset.
    mutating func has(_ text: String, at offset: Int) -> Bool {
        bytes(at: offset, count: text.utf8.count)?.elementsEqual(text.utf8) == true
    }
}
