/// The names of a store's files and folders; makes no calls.
///
/// A content file's name contains its key and the start of its digest. One name never means other bytes, so a reader with an
/// old row cannot open new bytes.
struct DiskFolder: Hashable, Sendable {
    /// The store's folder, without a trailing slash.
    let path: String

    /// Names a folder.
    init(path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The prefix of the layout's number in the tag.
    static let layoutMark = "# Layout: "

    var tag: String { path + "/CACHEDIR.TAG" }
    var lock: String { path + "/lock" }
    var index: String { path + "/index.sqlite" }
    var temporary: String { path + "/tmp" }
    /// The list of postponed purges (`DiskPurgeList`).
    var purges: String { path + "/pending-purges" }
    /// The database of warm jobs (`JobStore`), which is not part of the cache.
    static let jobs = "warm.sqlite"

    /// Whether a name in the folder is one that a store creates.
    static func isKnown(_ name: String) -> Bool {
        let known: Set = [
            "CACHEDIR.TAG", "lock", "tmp", "pending-purges", "index.sqlite", "index.sqlite-wal", "index.sqlite-shm",
        ]
        return known.contains(name) || name.hasPrefix("index.sqlite.damaged") || name.hasPrefix(jobs)
            || DiskClass.allCases.contains { $0.folder == name }
    }

    /// A path relative to the folder.
    func relative(_ path: String) -> String {
        path.hasPrefix(self.path + "/") ? String(path.dropFirst(self.path.count + 1)) : path
    }

    /// The folder of a class.
    func root(of diskClass: DiskClass) -> String { "\(path)/\(diskClass.folder)" }

    /// A content file's path: `CLASS/ab/cd/KEY-DIGEST`, 64 and 16 hexadecimal digits.
    func file(_ diskClass: DiskClass, _ key: CacheKey, _ digest: CacheKey) -> String {
        let name = Self.name(key, digest)
        return "\(root(of: diskClass))/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)"
    }

    /// A content file's own name.
    static func name(_ key: CacheKey, _ digest: CacheKey) -> String {
        "\(key.description)-\(digest.description.prefix(16))"
    }

    /// The key in a content file's name; `nil` for any other name.
    static func key(inName name: String) -> CacheKey? {
        let digits = Array(name.utf8)
        guard digits.count == 81, digits[64] == UInt8(ascii: "-") else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(40)
        for start in Array(stride(from: 0, to: 64, by: 2)) + Array(stride(from: 65, to: 81, by: 2)) {
            guard let high = value(ofDigit: digits[start]), let low = value(ofDigit: digits[start + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return CacheKey(bytes: Array(bytes.prefix(32)))
    }

    /// Whether a name is that of a fan-out folder: two hexadecimal digits.
    static func isFan(_ name: String) -> Bool {
        name.utf8.count == 2 && name.utf8.allSatisfy { value(ofDigit: $0) != nil }
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
