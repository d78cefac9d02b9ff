/// A reader for the directories of an EXIF block, which is in TIFF format; every offset is checked.
struct ExifBlock {
    /// A directory entry: type, number and position of its values.
    struct Entry {
        var type: Int
        var count: Int
        var offset: Int
    }

    /// A fraction; both parts are 0–4294967295.
    struct Rational {
        var numerator: Int
        var denominator: Int
    }

    /// The maximum number of entries of a directory; more means damage.
    private static let maximumEntries = 512
    /// The longest text in bytes; longer ones are cut.
    private static let maximumText = 128

    private let bytes: [UInt8]
    private let isBigEndian: Bool
    let firstDirectory: Int

    /// Reads the header; `nil` if there is none (TIFF 6.0 §2).
    init?(_ bytes: [UInt8]) {
        switch bytes.prefix(4) {
        case [0x4D, 0x4D, 0x00, 0x2A]: isBigEndian = true
        case [0x49, 0x49, 0x2A, 0x00]: isBigEndian = false
        default: return nil
        }
        self.bytes = bytes
        guard let offset = Self.number(bytes, 4, 4, isBigEndian) else { return nil }
        firstDirectory = offset
    }

    /// The entries of a directory by tag; the first wins.
    func directory(at offset: Int) -> [Int: Entry] {
        guard let count = number(at: offset, 2), count <= Self.maximumEntries else { return [:] }
        var entries: [Int: Entry] = [:]
        for index in 0..<count {
            let start = offset + 2 + 12 * index
            guard let tag = number(at: start, 2), let type = number(at: start + 2, 2),
                let count = number(at: start + 4, 4), let value = number(at: start + 8, 4)
            else { break }
            let isInline = count.multipliedSaturated(by: Self.size(of: type)) <= 4
            if entries[tag] == nil {
                entries[tag] = Entry(type: type, count: count, offset: isInline ? start + 8 : value)
            }
        }
        return entries
    }

    /// The value of a SHORT or LONG entry.
    func number(_ entry: Entry) -> Int? {
        switch entry.type {
        case 3: entry.count > 0 ? number(at: entry.offset, 2) : nil
        case 4: entry.count > 0 ? number(at: entry.offset, 4) : nil
        default: nil
        }
    }

    /// The value of a RATIONAL entry.
    func rational(_ entry: Entry) -> Rational? {
        guard entry.type == 5, entry.count > 0, let numerator = number(at: entry.offset, 4),
            let denominator = number(at: entry.offset + 4, 4)
        else { return nil }
        return Rational(numerator: numerator, denominator: denominator)
    }

    /// The value of an ASCII entry up to its NUL, trimmed; `nil` if it is blank or not text.
    func text(_ entry: Entry) -> String? {
        guard entry.type == 2, entry.offset <= bytes.count, entry.count <= bytes.count - entry.offset else {
            return nil
        }
        let characters = bytes[entry.offset..<entry.offset + min(entry.count, Self.maximumText)].prefix { $0 != 0 }
        guard let text = String(utf8: characters) else { return nil }
        let blanks: (Character) -> Bool = { $0 == " " }
        let trimmed = String(text.drop(while: blanks).reversed().drop(while: blanks).reversed())
        return trimmed.isEmpty ? nil : trimmed
    }

    private func number(at offset: Int, _ count: Int) -> Int? { Self.number(bytes, offset, count, isBigEndian) }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int, _ isBigEndian: Bool) -> Int? {
        guard offset >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        let part = bytes[offset..<offset + count]
        return isBigEndian ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The size of a value in bytes (TIFF 6.0 §2).
    private static func size(of type: Int) -> Int {
        switch type {
        case 3, 8: 2
        case 4, 9, 11: 4
        case 5, 10, 12: 8
        default: 1
        }
    }
}
