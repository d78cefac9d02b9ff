/// Purges by more than a name as the index notes them while it is rebuilt.
enum RemovedSelection {
    /// The kind of their rows.
    static let kind = 3

    private enum Tag {
        static let prefixSource: UInt16 = 1
        static let prefixURL: UInt16 = 2
        static let tag: UInt16 = 3
        static let confirmedBefore: UInt16 = 4
        static let presetName: UInt16 = 5
        static let presetSteps: UInt16 = 6
        static let presetSetting: UInt16 = 7
    }

    /// A selection as bytes; those that have rows of their own kind come to nothing.
    static func encode(_ selection: PurgeSelection) -> [UInt8] {
        var fields = TaggedFields()
        switch selection {
        case .prefixes(let prefixes):
            for prefix in prefixes {
                fields.put(Tag.prefixSource, prefix.source)
                fields.put(Tag.prefixURL, prefix.url)
            }
        case .tags(let tags): for tag in tags.sorted() { fields.put(Tag.tag, tag) }
        case .confirmedBefore(let time): fields.put(Tag.confirmedBefore, time)
        case .preset(let pattern):
            fields.put(Tag.presetName, pattern.name)
            fields.put(Tag.presetSteps, pattern.steps)
            for setting in pattern.settings { fields.put(Tag.presetSetting, setting) }
        case .originals, .source, .all: break
        }
        return fields.bytes
    }

    /// The selection that bytes are; `nil` where they are none that this release knows.
    static func decode(_ bytes: [UInt8]) -> PurgeSelection? {
        guard let fields = TaggedFields.Reader(bytes[...]) else { return nil }
        func texts(_ tag: UInt16) -> [String] { fields.all(tag).map { String(decoding: $0, as: UTF8.self) } }
        let tags = texts(Tag.tag)
        if !tags.isEmpty { return .tags(Set(tags)) }
        if let time = fields.integer(Tag.confirmedBefore) { return .confirmedBefore(time) }
        if let name = fields.text(Tag.presetName) {
            let steps = fields.text(Tag.presetSteps) ?? ""
            return .preset(PresetPattern(name: name, steps: steps, settings: texts(Tag.presetSetting)))
        }
        let prefixes = zip(texts(Tag.prefixSource), texts(Tag.prefixURL)).map { OriginPrefix(source: $0, url: $1) }
        return prefixes.isEmpty ? nil : .prefixes(prefixes)
    }
}
