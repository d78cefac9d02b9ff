import HTTPSemantics
import ImagePlan

/// An original's record as a content file carries it.
extension OriginRecord {
    /// What was once released keeps its number; new fields take the next and are optional when read.
    private enum Tag {
        static let key: UInt16 = 1
        static let source: UInt16 = 2
        static let url: UInt16 = 3
        static let digest: UInt16 = 4
        static let length: UInt16 = 5
        static let format: UInt16 = 6
        static let width: UInt16 = 7
        static let height: UInt16 = 8
        static let frames: UInt16 = 9
        static let orientation: UInt16 = 10
        static let hasAlpha: UInt16 = 11
        static let entityTag: UInt16 = 12
        static let lastModified: UInt16 = 13
        static let cacheControl: UInt16 = 14
        static let responseTime: UInt16 = 15
        static let initialAge: UInt16 = 16
        static let lifetime: UInt16 = 17
        static let advertisedLifetime: UInt16 = 18
        static let tag: UInt16 = 19
        static let clientCacheControl: UInt16 = 20
        static let kind: UInt16 = 21
        static let placeholder: UInt16 = 22
    }

    /// The record's fields, encoded.
    var fields: [UInt8] {
        var fields = TaggedFields()
        fields.put(Tag.key, key)
        fields.put(Tag.source, source)
        fields.put(Tag.url, url)
        fields.put(Tag.digest, digest)
        fields.put(Tag.length, length)
        fields.put(Tag.format, Int64(header.format.rawValue))
        fields.put(Tag.width, header.width)
        fields.put(Tag.height, header.height)
        fields.put(Tag.frames, header.frames)
        fields.put(Tag.orientation, header.orientation)
        if let hasAlpha = header.hasAlpha { fields.put(Tag.hasAlpha, hasAlpha ? 1 : 0) }
        fields.put(Tag.entityTag, entityTag)
        fields.put(Tag.lastModified, lastModified)
        fields.put(Tag.cacheControl, cacheControl)
        fields.put(Tag.clientCacheControl, clientCacheControl)
        fields.put(Tag.responseTime, freshness.responseTime)
        fields.put(Tag.initialAge, freshness.initialAge)
        fields.put(Tag.lifetime, freshness.lifetime)
        fields.put(Tag.advertisedLifetime, advertisedLifetime)
        for tag in tags { fields.put(Tag.tag, tag) }
        if kind != .picture { fields.put(Tag.kind, kind.rawValue) }
        fields.put(Tag.placeholder, placeholder?.text)
        return fields.bytes
    }

    /// Reads a record; `nil` where a field is missing, or says what this release does not know.
    init?(fields bytes: ArraySlice<UInt8>) {
        guard let fields = TaggedFields.Reader(bytes),
            let key = fields.key(Tag.key), let digest = fields.key(Tag.digest),
            let length = fields.count(Tag.length),
            let responseTime = fields.integer(Tag.responseTime),
            let format = fields.integer(Tag.format).flatMap(UInt8.init(exactly:)).flatMap(ImageFormat.init(rawValue:)),
            let kind = Kind(rawValue: fields.integer(Tag.kind) ?? Kind.picture.rawValue)
        else { return nil }
        self.init(
            key: key,
            source: fields.text(Tag.source) ?? "",
            url: fields.text(Tag.url) ?? "",
            digest: digest,
            length: length,
            header: ImageHeader(
                format: format,
                width: fields.count(Tag.width) ?? 0,
                height: fields.count(Tag.height) ?? 0,
                frames: fields.count(Tag.frames) ?? 1,
                orientation: fields.count(Tag.orientation) ?? 1,
                hasAlpha: fields.integer(Tag.hasAlpha).map { $0 == 1 }
            ),
            entityTag: fields.text(Tag.entityTag),
            lastModified: fields.text(Tag.lastModified),
            cacheControl: fields.text(Tag.cacheControl),
            clientCacheControl: fields.text(Tag.clientCacheControl),
            freshness: Freshness(
                responseTime: responseTime,
                initialAge: fields.integer(Tag.initialAge) ?? 0,
                lifetime: fields.integer(Tag.lifetime) ?? 0
            ),
            advertisedLifetime: fields.integer(Tag.advertisedLifetime) ?? 0,
            tags: fields.all(Tag.tag).map { String(decoding: $0, as: UTF8.self) },
            kind: kind,
            placeholder: fields.bytes(Tag.placeholder).flatMap { Placeholder(text: Array($0)) }
        )
    }
}
