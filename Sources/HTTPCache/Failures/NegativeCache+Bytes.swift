/// The memory that cached failures occupy (`FailurePolicy.bytes`).
extension NegativeCache {
    /// The bytes of an entry without its texts: its box, its slots in the tables and in the order, and the headers of its strings.
    static var entrySize: Int { 640 }
}

extension NegativeCache.Entry {
    /// The bytes that the entry occupies, at most.
    var size: Int {
        let strings =
            [subject.url, subject.source, plan ?? ""] + (url == subject.url ? [] : [url]) + subject.presets
            + (subject.record?.tags ?? [])
        let texts = strings.reduce(0) { $0 + $1.utf8.count }
        return NegativeCache.entrySize + texts + subject.auxiliaries.count * NegativeCache.entrySize
    }
}
