import HTTPKit
import ImagePipeline

/// What the fields of a `PURGE` request say: tags as Varnish's and Fastly's users send them, and whether what goes is only stale.
struct PurgeFields: Sendable {
    /// Tags of one request.
    static let maximumCount = 256

    /// Names of fields with tags, in lower case; `xkey-softpurge` says `soft`, too.
    private static let tagNames: [StaticString] = [
        "surrogate-key", "cache-tag", "xkey", "xkey-purge", "xkey-softpurge",
    ]

    /// The name of the first field with tags, as it was sent; `nil` where there is none.
    private(set) var tagName: String?
    /// Values of fields with tags, in their order.
    private var tagLines: [String] = []
    private var isSoftByName = false
    /// What `Fastly-Soft-Purge` says.
    private var soft: String?

    /// Copies what matters of a request's fields.
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

    /// The tags, each once; none where no field names any.
    ///
    /// - Throws: `Problem` 400 where a field is empty, where a tag is none, or where there are too many.
    func tags() throws(Problem) -> [String] {
        guard let tagName else { return [] }
        var tags: [String] = []
        for part in tagLines.joined(separator: ",").utf8.split(whereSeparator: { [0x20, 0x09, 0x2C].contains($0) }) {
            let tag = String(decoding: part, as: UTF8.self)
            guard OriginTags.isTag(tag) else {
                throw Problem(400, "A tag has at most \(OriginTags.maximumLength) bytes.", parameter: tagName)
            }
            if !tags.contains(tag) { tags.append(tag) }
            guard tags.count <= Self.maximumCount else {
                throw Problem(400, "A purge has at most \(Self.maximumCount) tags.", parameter: tagName)
            }
        }
        guard !tags.isEmpty else { throw Problem(400, "\(tagName) names no tag.", parameter: tagName) }
        return tags
    }

    /// Whether what goes is only to count as stale.
    ///
    /// - Throws: `Problem` 400 where a field says neither.
    func isSoft() throws(Problem) -> Bool {
        guard let soft else { return isSoftByName }
        switch soft.lowercased() {
        case "1", "true": return true
        case "0", "false": return isSoftByName
        default: throw Problem(400, "Fastly-Soft-Purge is neither 1 nor 0.", parameter: "Fastly-Soft-Purge")
        }
    }
}
