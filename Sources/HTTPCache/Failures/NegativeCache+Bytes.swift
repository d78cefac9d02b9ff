/// The memory that cached failures occupy (`FailurePolicy.bytes`).
extension NegativeCache {
    /// The bytes of an entry without its texts: its box, its slots in the tables and in the order, and the headers of its strings.
    static var entrySize: Int { 640 }
}

extension NegativeCache.Entry {
    /// The bytes that the entry occupies, at most.
    var size: Int {
        let shown = (url == subject.url ? 0 : url.utf8.count) + (plan?.utf8.count ?? 0)
        var bytes = NegativeCache.entrySize + subject.textBytes + shown + (work?.size ?? 0)
        for other in subject.auxiliaries { bytes += NegativeCache.entrySize + other.textBytes }
        return bytes
    }
}

extension PurgeSubject {
    /// The bytes of its texts, without those of its auxiliaries.
    fileprivate var textBytes: Int {
        ([url, source, plan ?? ""] + presets + (record?.tags ?? [])).reduce(0) { $0 + $1.utf8.count }
    }
}

extension WorkClass {
    /// The bytes that it and its slot in the table of classes occupy, at most.
    fileprivate var size: Int {
        let texts = kind.utf8.count + description.utf8.count
        return 256 + 8 * levels.count + parts.reduce(texts) { $0 + 64 + $1.utf8.count }
    }
}
