import HTTPSemantics
import LinuxSystem

/// The encoding of a URL's stored responses on disk.
extension RawEntry {
    /// Field numbers.
    ///
    /// Released numbers never change; new fields take the next number and are optional when read.
    private enum Tag {
        static let response: UInt16 = 1
    }

    /// All responses, the oldest first.
    var encoded: [UInt8] {
        var fields = TaggedFields()
        for response in responses { if let bytes = response.encoded { fields.put(Tag.response, bytes) } }
        return fields.bytes
    }

    /// Reads an entry from disk, at most as fresh as its record; returns `nil` if this release cannot read a response.
    init?(_ stored: StoredRaw, about subject: PurgeSubject) {
        var responses: [StoredResponse] = []
        let isRead = TaggedFields.forEach(in: stored.file, 0..<stored.record.length) { tag, range in
            guard tag == Tag.response else { return true }
            guard var response = StoredResponse(stored.file, range) else { return false }
            // A soft purge or an index rebuild changes only the record.
            response.expire(at: stored.record.freshness.staleAt)
            responses.append(response)
            return true
        }
        guard isRead else { return nil }
        self.init(subject, responses: responses)
    }
}

extension StoredResponse {
    /// Field numbers; the rules above apply.
    private enum Tag {
        static let status: UInt16 = 1
        static let field: UInt16 = 2
        static let body: UInt16 = 3
        static let responseTime: UInt16 = 4
        static let initialAge: UInt16 = 5
        static let lifetime: UInt16 = 6
        static let selector: UInt16 = 7
        /// The length of the complete representation; present instead of `body` if only parts are stored.
        static let completeLength: UInt16 = 8
        /// A part: the offset in 8 bytes, then the bytes.
        static let part: UInt16 = 9
        /// The stamp; absent outside of a cluster.
        static let sequence: UInt16 = 10
        static let era: UInt16 = 11
    }

    /// The encoded response; `nil` if its content cannot be read.
    fileprivate var encoded: [UInt8]? {
        guard let bytes = inMemory(limit: .max)?.bytes else { return nil }
        var encoding = TaggedFields()
        encoding.put(Tag.status, status)
        for line in fields.lines { encoding.put(Tag.field, Array(line.name.utf8) + [0x3A] + line.value) }
        encoding.put(Tag.responseTime, policy.freshness.responseTime)
        encoding.put(Tag.initialAge, policy.freshness.initialAge)
        encoding.put(Tag.lifetime, policy.freshness.lifetime)
        for selector in vary.encoded { encoding.put(Tag.selector, selector) }
        if stamp.sequence != 0 { encoding.put(Tag.sequence, stamp.sequence) }
        if stamp.era != 0 { encoding.put(Tag.era, stamp.era) }
        if case .parts(let parts) = content {
            encoding.put(Tag.completeLength, parts.length)
            for part in parts.parts { encoding.put(Tag.part, Int64(part.offset).taggedBytes + part.bytes) }
        } else {
            encoding.put(Tag.body, bytes)
        }
        return encoding.bytes
    }

    /// The maximum bytes of content that are read into memory with the response.
    private static var shortLength: Int { 1 << 20 }

    /// Reads a response; returns `nil` if a field is missing or malformed.
    ///
    /// Long content stays in the file.
    fileprivate init?(_ file: SharedDescriptor, _ range: Range<Int>) {
        var section: Range<Int>?
        var rest = TaggedFields()
        let isRead = TaggedFields.forEach(in: file, range) { tag, place in
            if tag == Tag.body, place.count > Self.shortLength {
                section = place
                return true
            }
            guard let value = file.read(place) else { return false }
            rest.put(tag, value)
            return true
        }
        let inFile = section.map { Content.section(file, $0) }
        guard isRead, let encoding = TaggedFields.Reader(rest.bytes[...]), let status = encoding.count(Tag.status),
            let content = inFile ?? Self.content(encoding), let responseTime = encoding.integer(Tag.responseTime),
            let initialAge = encoding.integer(Tag.initialAge), let lifetime = encoding.integer(Tag.lifetime),
            let vary = VaryKey(encoded: encoding.all(Tag.selector))
        else { return nil }
        var fields = FieldLines()
        for bytes in encoding.all(Tag.field) {
            guard let line = FieldLine(line: bytes) else { return nil }
            fields.append(line)
        }
        self.init(
            status: status,
            fields: fields,
            content: content,
            freshness: Freshness(responseTime: responseTime, initialAge: initialAge, lifetime: lifetime),
            vary: vary
        )
        stamp.sequence = encoding.integer(Tag.sequence) ?? 0
        stamp.era = encoding.integer(Tag.era) ?? 0
    }

    /// Reads the content; returns `nil` if it is missing or malformed.
    private static func content(_ encoding: TaggedFields.Reader) -> Content? {
        guard let length = encoding.count(Tag.completeLength) else {
            return encoding.bytes(Tag.body).map { .bytes(Array($0)) }
        }
        var parts: [StoredParts.Part] = []
        for bytes in encoding.all(Tag.part) {
            guard let offset = Int(taggedBytes: bytes.prefix(8)) else { return nil }
            parts.append(StoredParts.Part(offset: offset, bytes: Array(bytes.dropFirst(8))))
        }
        return StoredParts(parts, of: length).map { .parts($0) }
    }
}

extension VaryKey {
    /// Field numbers; the rules above apply.
    private enum Tag {
        static let name: UInt16 = 1
        static let value: UInt16 = 2
    }

    /// The request fields with their values, in the order of their names.
    fileprivate var encoded: [[UInt8]] {
        values.sorted { $0.key < $1.key }.map { name, value in
            var fields = TaggedFields()
            fields.put(Tag.name, name)
            fields.put(Tag.value, value)
            return fields.bytes
        }
    }

    /// Reads a key; returns `nil` if a field has no name.
    fileprivate init?(encoded: [ArraySlice<UInt8>]) {
        var values: [String: String?] = [:]
        for bytes in encoded {
            guard let fields = TaggedFields.Reader(bytes), let name = fields.text(Tag.name) else { return nil }
            values[name] = .some(fields.text(Tag.value))
        }
        self.init(values: values)
    }
}
