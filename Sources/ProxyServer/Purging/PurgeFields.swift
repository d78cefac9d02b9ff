import HTTPCache
import HTTPKit
import ImagePipeline

/// The header fields of a `PURGE` request: tags, as clients of Varnish and Fastly send them, and whether the purge is soft.
struct PurgeFields: Sendable {
    /// The maximum number of tags per request.
    static let maximumCount = 256

    /// Names of fields with tags, in lower case; `xkey-softpurge` also makes the purge soft.
    private static let tagNames: [StaticString] = [
        "surrogate-key", "cache-tag", "xkey", "xkey-purge", "xkey-softpurge",
    ]

    /// The name of the first field with tags, as sent, or `nil`.
    private(set) var tagName: String?
    /// Values of fields with tags, in order.
    private var tagLines: [String] = []
    private var isSoftByName = false
    /// The value of `Fastly-Soft-Purge`.
    private var soft: String?

    /// Creates fields that name nothing.
    init() {}

    /// Copies the relevant fields of a request.
    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        for field in head.fields {
            if Self.tagNames.contains(where: { bytes.equalsIgnoringCase(field.name, $0) }) {
                let name = String(decoding: bytes.copy(field.name), as: UTF8.self)
                tagName = tagName ?? name
                tagLines.append(String(decoding: bytes.copy(field.value), as: UTF8.self))
                isSoftByName = isSoftByName || bytes.equalsIgnoringCase(field.name, "xkey-softpurge")
            } else if bytes.equalsIgnoringCase(field.name, "fastly-soft-purge") {
                soft = String(decoding: bytes.copy(field.value), as: UTF8.self)
            }
        }
    }

    /// The distinct tags; empty if no field has any.
    ///
    /// - Throws: `Problem` 400 if a field is empty, a tag is invalid, or there are too many.
    func tags() throws(Problem) -> [String] {
        guard let tagName else { return [] }
        var tags: [String] = []
        for part in tagLines.joined(separator: ",").utf8.split(whereSeparator: { [0x20, 0x09, 0x2C].contains($0) }) {
            let tag = String(decoding: part, as: UTF8.self)
            guard OriginTags.isTag(tag) else {
                throw Problem(
                    400,
                    "A tag must not be longer than \(OriginTags.maximumLength) bytes.",
                    parameter: tagName
                )
            }
            if !tags.contains(tag) { tags.append(tag) }
            guard tags.count <= Self.maximumCount else {
                throw Problem(400, "A purge must not have more than \(Self.maximumCount) tags.", parameter: tagName)
            }
        }
        guard !tags.isEmpty else { throw Problem(400, "\(tagName) contains no tag.", parameter: tagName) }
        return tags
    }

    /// Whether the purge is soft.
    ///
    /// - Throws: `Problem` 400 for an invalid field value.
    func isSoft() throws(Problem) -> Bool {
        guard let soft else { return isSoftByName }
        switch soft.lowercased() {
        case "1", "true": return true
        case "0", "false": return isSoftByName
        default: throw Problem(400, "Fastly-Soft-Purge must be 0 or 1.", parameter: "Fastly-Soft-Purge")
        }
    }
}
