/// The marks that an origin puts on its answers for purging: `Cache-Tag`, `Surrogate-Key` and `xkey`.
///
/// CDNs separate them by commas or by spaces: here by both, whatever the field. They stay here; no answer passes them on.
package enum OriginTags {
    /// Tags of one original; those behind are left out.
    package static let maximumCount = 128
    /// Bytes of a tag; longer ones are left out.
    package static let maximumLength = 256

    /// Reads the fields' values, joined by commas; each tag once.
    package static func parse(_ fields: String) -> [String] {
        var tags: [String] = []
        for part in fields.utf8.split(whereSeparator: { [0x20, 0x09, 0x2C].contains($0) }) {
            guard part.count <= maximumLength, tags.count < maximumCount else { continue }
            let tag = String(decoding: part, as: UTF8.self)
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    /// Whether a text can be a tag.
    package static func isTag(_ text: String) -> Bool { parse(text) == [text] }
}
