import HTTPCache
import HTTPKit
import ImagePipeline

/// The response fields of an entity, encoded once and shared by all its responses.
enum EntityPresentation {
    /// All fields that do not depend on the request; the `Vary` of the request's own fields is in `OwnFields`.
    static func fields(_ description: EntityDescription) -> [UInt8] { fields(description, isFinal: true) }

    /// The same; a response that is not final has nothing by which a client could validate or continue it.
    static func fields(_ description: EntityDescription, isFinal: Bool) -> [UInt8] {
        var block = FieldBlock()
        block.append("Content-Type", description.mediaType)
        if let coding = description.contentCoding { block.append("Content-Encoding", coding) }
        if isFinal { block.append("Accept-Ranges", "bytes") }
        if description.mediaType == "image/svg+xml" {
            block.append("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        } else if description.isSandboxed {
            block.append("Content-Security-Policy", "default-src 'none'; sandbox")
        }
        // From here on the fields that a 304 repeats: see `notModified`.
        if isFinal, !description.isArriving { block.append("ETag", entityTag(description.digest)) }
        if description.variesByCoding { block.append("Vary", "Accept-Encoding") }
        if let lastModified = description.lastModified { block.append("Last-Modified", lastModified) }
        block.append("Cache-Control", cacheControl(description))
        if let reason = description.passReason { block.append("X-Untransformed", reason.rawValue) }
        if let animation = description.animation { AnimationField.append(animation, to: &block) }
        if let credentials = description.credentials { block.append("Content-Credentials", credentials.rawValue) }
        if let quality = description.quality { QualityField.append(quality, to: &block) }
        if let hints = description.hints { HintFields.append(hints, to: &block) }
        return block.bytes + CommonFields.bytes
    }

    /// The fields of a 304, without those that describe the content (RFC 9110 §15.4.5).
    static func notModified(_ fields: [UInt8]) -> [UInt8] {
        let name = Array("\r\nETag: ".utf8)
        let starts = fields.indices.dropLast(name.count)
        guard let start = starts.first(where: { fields[$0] == name[0] && fields[$0...].starts(with: name) }) else {
            return fields
        }
        return Array(fields[(start + 2)...])
    }

    /// The strong entity tag: half of the SHA-256 of the bytes, in hexadecimal (RFC 9110 §8.8.3).
    static func entityTag(_ digest: CacheKey) -> String {
        "\"\(digest.description.prefix(32))\""
    }

    /// The origin's directives, else the source's `ttl`.
    private static func cacheControl(_ description: EntityDescription) -> String {
        description.cacheControl ?? "public, max-age=\(description.advertisedLifetime)"
    }
}

/// Fields of every response with an entity or an error; the public listener adds the CORS fields (`CrossOrigin`).
enum CommonFields {
    static let bytes: [UInt8] = {
        var block = FieldBlock()
        block.append("X-Content-Type-Options", "nosniff")
        block.append("Cross-Origin-Resource-Policy", "cross-origin")
        return block.bytes
    }()
}
