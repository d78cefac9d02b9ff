package import HTTPCache
import HTTPSemantics

/// The objects of the shared store, and their encoding.
///
/// | Key | Content |
/// |:--|:--|
/// | `b/<SHA-256>` | the content of an original, as it is |
/// | `m/<key of the original>` | its record, the time of its last validation, and the place in the log of purges |
/// | `r/<SHA-256 of the original>/<plan>` | a result: record, place and bytes |
/// | `z/<SHA-256 of the original>/<plan>` | a mezzanine, in the form of a result |
///
/// All but the first begin with a line that names the version, and the SHA-256 digest of the rest, which consists of tagged fields. Readers
/// skip unknown fields and refuse higher versions. Never change the meaning of a released tag.
package enum StoreObject {
    /// What reading an object has come to.
    package enum Found<Value> {
        case value(Value)
        /// A later release wrote it.
        case newer
        /// It is not what its key says.
        case damaged
    }

    /// The record of an original.
    package struct Meta: Hashable, Sendable {
        package var record: OriginRecord
        /// When the origin last sent or validated it, in seconds of the store's clock.
        package var confirmedAt: Int64
        package var place: SharedPlace

        /// Creates the object's content.
        package init(record: OriginRecord, confirmedAt: Int64, place: SharedPlace) {
            (self.record, self.confirmedAt, self.place) = (record, confirmedAt, place)
        }
    }

    /// What a worker has made of an original.
    package enum Kind: String, Sendable {
        /// A picture that a client has requested.
        case result = "r"
        /// A reduced copy, of which results are made; it never changes.
        case mezzanine = "z"
    }

    /// A result, or a mezzanine.
    package struct Result: Sendable {
        package var record: VariantRecord
        package var bytes: [UInt8]
        package var place: SharedPlace

        /// Creates the object's content.
        package init(record: VariantRecord, bytes: [UInt8], place: SharedPlace) {
            (self.record, self.bytes, self.place) = (record, bytes, place)
        }
    }

    private static let name = "edgeprint-shared/"
    private static let version = 1
    /// Maximum bytes of an encoded record.
    package static let maximumMeta = 1 << 20
    /// Maximum bytes of an encoded result or mezzanine: workers return at most 64 MiB.
    package static let maximumResult = 64 << 20 + maximumMeta

    private enum Tag {
        static let origin: UInt16 = 1
        static let variant: UInt16 = 2
        static let sequence: UInt16 = 3
        static let log: UInt16 = 4
        static let confirmedAt: UInt16 = 5
        /// The object's key, so that an object under another key is recognised.
        static let key: UInt16 = 6
        static let bytes: UInt16 = 7
    }

    /// The key of an original's content.
    package static func bodyKey(_ digest: CacheKey) -> String { "b/\(digest)" }
    /// The key of an original's record.
    package static func metaKey(_ origin: CacheKey) -> String { "m/\(origin)" }
    /// The key of a result, or of a mezzanine.
    package static func key(_ kind: Kind, _ plan: CacheKey, of digest: CacheKey) -> String {
        "\(kind.rawValue)/\(digest)/\(plan)"
    }

    /// Encodes the record of an original.
    package static func encode(_ meta: Meta) -> [UInt8] {
        var fields = TaggedFields()
        fields.put(Tag.key, metaKey(meta.record.key))
        fields.put(Tag.origin, meta.record.encoded)
        fields.put(Tag.confirmedAt, meta.confirmedAt)
        put(meta.place, in: &fields)
        return seal(fields)
    }

    /// Encodes a result, or a mezzanine.
    package static func encode(_ result: Result, as kind: Kind = .result, plan: CacheKey) -> [UInt8] {
        var fields = TaggedFields()
        fields.put(Tag.key, key(kind, plan, of: result.record.originDigest))
        fields.put(Tag.variant, result.record.encoded)
        put(result.place, in: &fields)
        fields.put(Tag.bytes, result.bytes)
        return seal(fields)
    }

    /// Decodes the record of an original with a key.
    ///
    /// - Parameter isReadable: whether this release can read a record's metadata; a later one wrote it otherwise.
    package static func meta(
        _ bytes: [UInt8],
        of origin: CacheKey,
        isReadable: (DiskClass, _ metadata: [UInt8]) -> Bool = { _, _ in true }
    ) -> Found<Meta> {
        open(bytes, metaKey(origin)) { fields, place in
            guard let record = fields.bytes(Tag.origin).flatMap({ OriginRecord(encoded: $0) }), record.key == origin,
                record.kind == .picture, record.length >= 0, let confirmedAt = fields.integer(Tag.confirmedAt),
                Freshness.isPossible(confirmedAt)
            else { return .damaged }
            guard isReadable(.originals, record.metadata) else { return .newer }
            return .value(Meta(record: record, confirmedAt: confirmedAt, place: place))
        }
    }

    /// Decodes a result, or a mezzanine.
    ///
    /// - Parameter isReadable: as for `meta`.
    package static func result(
        _ bytes: [UInt8],
        as kind: Kind = .result,
        plan: CacheKey,
        of digest: CacheKey,
        isReadable: (DiskClass, _ metadata: [UInt8]) -> Bool = { _, _ in true }
    ) -> Found<Result> {
        open(bytes, key(kind, plan, of: digest)) { fields, place in
            guard let record = fields.bytes(Tag.variant).flatMap({ VariantRecord(encoded: $0) }),
                record.originDigest == digest, let bytes = fields.bytes(Tag.bytes).map(Array.init),
                record.length == bytes.count, record.digest == CacheKey(hashing: bytes)
            else { return .damaged }
            guard isReadable(.variants, record.metadata) else { return .newer }
            return .value(Result(record: record, bytes: bytes, place: place))
        }
    }

    private static func put(_ place: SharedPlace, in fields: inout TaggedFields) {
        fields.put(Tag.sequence, place.sequence)
        fields.put(Tag.log, place.log)
    }

    private static func seal(_ fields: TaggedFields) -> [UInt8] {
        Array("\(name)\(version)\n".utf8) + CacheKey(hashing: fields.bytes).bytes + fields.bytes
    }

    private static func open<Value>(
        _ bytes: [UInt8],
        _ key: String,
        _ read: (TaggedFields.Reader, SharedPlace) -> Found<Value>
    ) -> Found<Value> {
        guard let end = bytes.prefix(64).firstIndex(of: UInt8(ascii: "\n")) else { return .damaged }
        let line = String(decoding: bytes[..<end], as: UTF8.self)
        guard line.hasPrefix(name), let number = Int(line.dropFirst(name.count)), number > 0
        else { return .damaged }
        guard number <= version else { return .newer }
        let digest = bytes[(end + 1)...].prefix(32)
        let rest = bytes[(end + 1)...].dropFirst(32)
        guard digest.count == 32, CacheKey(hashing: Array(rest)).bytes == Array(digest),
            let fields = TaggedFields.Reader(rest), fields.text(Tag.key) == key,
            let sequence = fields.integer(Tag.sequence), let log = fields.text(Tag.log)
        else { return .damaged }
        return read(fields, SharedPlace(sequence: sequence, log: log))
    }
}
