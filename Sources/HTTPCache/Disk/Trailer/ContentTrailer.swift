import LinuxSystem

/// The trailer of a content file, after the body: the records of its row, from which a lost index can be rebuilt.
///
/// ```
/// body                              from offset 0, for sendfile
/// fields                            tagged: the original's record and, for a variant, the variant's (`RecordCodec`)
/// SHA-256 of the fields and of the next 12 bytes
/// length of the body                8 bytes, big-endian like all numbers
/// version 2 bytes, unused 2 bytes
/// length of the fields              4 bytes
/// magic                             8 bytes
/// ```
/// In a bare file (`DiskStore.Configuration.bareFrom`), it is attached to the file as an extended attribute instead.
/// The body's own SHA-256 is a field of its record. A record that changes later (RFC 9111 §4.3.4) changes its row only: the
/// trailer is as old as the body.
struct ContentTrailer: Hashable {
    /// Readers refuse higher versions; new fields need no new version.
    ///
    /// In version 1, the metadata was part of the records.
    static let version = 2
    /// Bytes after the fields.
    static let footerLength = 56
    /// Maximum bytes of fields; a longer trailer is damaged.
    static let maximumFields = 1 << 20
    private static let magic: [UInt8] = [0x89, 0x45, 0x44, 0x47, 0x45, 0x0D, 0x0A, 0x1A]

    private enum Tag {
        static let origin: UInt16 = 1
        static let variant: UInt16 = 2
    }

    /// The record of the original, or of the variant's original.
    var origin: OriginRecord
    /// The record of the variant; `nil` for an original.
    var variant: VariantRecord?

    /// The length of the body before the trailer, in bytes.
    var bodyLength: Int { variant?.length ?? origin.length }
    /// SHA-256 of the body.
    var digest: CacheKey { variant?.digest ?? origin.digest }
    /// The key that the file is named after.
    var key: CacheKey { variant?.key ?? origin.key }

    /// Creates a trailer from encoded records.
    ///
    /// - Parameter variant: the variant's record; `nil` for an original.
    static func encode(origin: [UInt8], variant: [UInt8]? = nil, bodyLength: Int) -> [UInt8] {
        var fields = TaggedFields()
        fields.put(Tag.origin, origin)
        if let variant { fields.put(Tag.variant, variant) }
        let numbers = BigEndian.bytes(UInt64(bodyLength), 8) + BigEndian.bytes(UInt64(version), 2) + [0, 0]
        let checksum = CacheKey(hashing: fields.bytes + numbers)
        return fields.bytes + checksum.bytes + numbers + BigEndian.bytes(UInt64(fields.bytes.count), 4) + magic
    }

    /// The result of reading the end of a file.
    enum Found {
        /// - Parameter length: bytes that follow the body in the file; 0 if the trailer is attached to it.
        case trailer(ContentTrailer, length: Int)
        /// A later release wrote it.
        case newer
        /// No trailer, or a damaged one.
        case none
    }

    /// Reads the trailer of a content file; not the body.
    static func read(_ file: SharedDescriptor, _ files: any FileSystem) throws(Errno) -> Found {
        let size = try files.size(of: file)
        if let attached = try files.attachment(of: file) {
            let found = try decode(end: attached.count, bodyEnd: size) { start, count in
                Array(attached[start..<start + count])
            }
            guard case .trailer(let trailer, _) = found else { return found }
            return .trailer(trailer, length: 0)
        }
        return try decode(end: size, bodyEnd: nil) { start, count throws(Errno) in
            try files.read(file, at: start, count: count)
        }
    }

    /// Decodes the trailer at the end of some bytes.
    ///
    /// - Parameters:
    ///   - end: the number of bytes.
    ///   - bodyEnd: the body's length if the bytes are the trailer alone; `nil` if they begin with the body.
    ///   - read: reads a number of bytes at an offset.
    private static func decode(
        end: Int,
        bodyEnd: Int?,
        _ read: (_ start: Int, _ count: Int) throws(Errno) -> [UInt8]
    ) throws(Errno) -> Found {
        guard end >= footerLength else { return .none }
        let footer = try read(end - footerLength, footerLength)
        guard footer.count == footerLength, Array(footer.suffix(8)) == magic else { return .none }
        guard BigEndian.number(footer[40..<42]) <= UInt64(version) else { return .newer }
        let length = Int(BigEndian.number(footer[44..<48]))
        let bodyLength = BigEndian.number(footer[32..<40])
        guard length <= maximumFields, end >= length + footerLength, bodyEnd == nil || end == length + footerLength,
            bodyLength == UInt64(bodyEnd ?? (end - length - footerLength))
        else { return .none }
        let fields = try read(end - footerLength - length, length)
        guard fields.count == length,
            CacheKey(hashing: fields + footer[32..<44]).bytes == Array(footer[0..<32]),
            let trailer = ContentTrailer(fields: fields), UInt64(trailer.bodyLength) == bodyLength
        else { return .none }
        return .trailer(trailer, length: length + footerLength)
    }

    private init?(fields bytes: [UInt8]) {
        guard let fields = TaggedFields.Reader(bytes[...]),
            let origin = fields.bytes(Tag.origin).flatMap(OriginRecord.init(encoded:))
        else { return nil }
        var variant: VariantRecord?
        if let bytes = fields.bytes(Tag.variant) {
            guard let record = VariantRecord(encoded: bytes), record.origin == origin.key,
                record.originDigest == origin.digest
            else { return nil }
            variant = record
        }
        self.origin = origin
        self.variant = variant
    }
}
