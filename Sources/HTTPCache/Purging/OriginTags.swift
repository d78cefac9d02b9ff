/// Parses the tags with which an origin labels its responses for purging: `Cache-Tag`, `Surrogate-Key` and `xkey`.
///
/// CDNs separate tags by commas or spaces; here both separate tags in every field. The tags are not sent to clients.
package enum OriginTags {
    /// The maximum number of tags per original; further ones are ignored.
    package static let maximumCount = 128
    /// The maximum length of a tag in bytes; longer ones are ignored.
    package static let maximumLength = 256

    /// Parses the fields' values, joined by commas; returns each tag once.
    package static func parse(_ fields: String) -> [String] {
        var tags: [String] = []
        for part in fields.utf8.split(whereSeparator: { [0x20, 0x09, 0x2C].contains($0) }) {
            guard part.count <= maximumLength, tags.count < maximumCount else { continue }
            let tag = String(decoding: part, as: UTF8.self)
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    /// Whether a text is a valid tag.
    package static func isTag(_ text: String) -> Bool { parse(text) == [text] }
}
