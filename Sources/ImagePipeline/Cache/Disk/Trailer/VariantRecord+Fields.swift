import ImagePlan

/// A variant's record as a content file carries it.
extension VariantRecord {
    /// What was once released keeps its number; new fields take the next and are optional when read.
    private enum Tag {
        static let key: UInt16 = 1
        static let origin: UInt16 = 2
        static let originDigest: UInt16 = 3
        static let plan: UInt16 = 4
        static let format: UInt16 = 5
        static let width: UInt16 = 6
        static let height: UInt16 = 7
        static let frames: UInt16 = 8
        static let length: UInt16 = 9
        static let digest: UInt16 = 10
        static let preset: UInt16 = 11
        static let standIn: UInt16 = 12
        static let ingredients: UInt16 = 13
    }

    /// The record's fields, encoded.
    var fields: [UInt8] {
        var fields = TaggedFields()
        fields.put(Tag.key, key)
        fields.put(Tag.origin, origin)
        fields.put(Tag.originDigest, originDigest)
        fields.put(Tag.plan, plan)
        fields.put(Tag.format, Int64(format.rawValue))
        fields.put(Tag.width, width)
        fields.put(Tag.height, height)
        fields.put(Tag.frames, frames)
        fields.put(Tag.length, length)
        fields.put(Tag.digest, digest)
        for preset in presets { fields.put(Tag.preset, preset) }
        if isStandIn { fields.put(Tag.standIn, 1) }
        if !ingredients.isEmpty { fields.put(Tag.ingredients, ingredientBytes) }
        return fields.bytes
    }

    /// Reads a record; `nil` where a field is missing, or says what this release does not know.
    init?(fields bytes: ArraySlice<UInt8>) {
        guard let fields = TaggedFields.Reader(bytes),
            let key = fields.key(Tag.key), let origin = fields.key(Tag.origin),
            let originDigest = fields.key(Tag.originDigest), let digest = fields.key(Tag.digest),
            let length = fields.count(Tag.length),
            let format = fields.integer(Tag.format).flatMap(UInt8.init(exactly:)).flatMap(ResultFormat.init(rawValue:))
        else { return nil }
        self.init(
            key: key,
            origin: origin,
            originDigest: originDigest,
            plan: fields.text(Tag.plan) ?? "",
            presets: fields.all(Tag.preset).map { String(decoding: $0, as: UTF8.self) },
            format: format,
            width: fields.count(Tag.width) ?? 0,
            height: fields.count(Tag.height) ?? 0,
            frames: fields.count(Tag.frames) ?? 1,
            length: length,
            digest: digest,
            isStandIn: fields.count(Tag.standIn) == 1
        )
        ingredients = fields.bytes(Tag.ingredients).map(VariantRecord.ingredients) ?? []
    }
}
