package import ImagePlan

/// A request of Cloudflare Images, `/cdn-cgi/image/width=300,fit=cover/https://example.org/cat.jpg`.
///
/// Source: developers.cloudflare.com/images, "Features" (the URL interface).
package struct CloudflareRequest {
    private static let prefix = Array("/cdn-cgi/image/".utf8)

    /// The options by their full names.
    let options: [String: OptionValue]

    /// Translates a request; see `Dialect.translate(path:query:)`.
    package static func translate(path: [UInt8], query: [UInt8]) throws(RequestError) -> Translation {
        guard path.starts(with: prefix) else {
            throw RequestError(parameter: "path", reason: "must begin with /cdn-cgi/image/")
        }
        let rest = path.dropFirst(prefix.count)
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let request = try CloudflareRequest(options: rest[..<end])
        let image = try image(rest[end...].dropFirst(), query: query)
        var plan = CloudflarePlan(request)
        return Translation(image: image, parameters: try plan.parameters(), signature: .none)
    }

    /// The image after the options: an absolute URL as it is or encoded, or a path; the query belongs to it.
    private static func image(_ bytes: ArraySlice<UInt8>, query: [UInt8]) throws(RequestError) -> Translation.Image {
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
            throw RequestError(parameter: "path", reason: "has no image after the options")
        }
        guard let query = String(validating: query, as: UTF8.self) else {
            throw RequestError(parameter: "query", reason: "is not valid UTF-8")
        }
        let lowered = text.prefix(12).lowercased()
        if lowered.hasPrefix("http://") || lowered.hasPrefix("https://") {
            return .url(query.isEmpty ? text : "\(text)?\(query)")
        }
        guard lowered.hasPrefix("http%3a") || lowered.hasPrefix("https%3a") else {
            return .path(PercentCoding.encodedPath(bytes), query: query)
        }
        guard query.isEmpty else {
            throw RequestError(
                parameter: "query",
                reason: "cannot be said beside an encoded address: encode it as well, as a part of the address"
            )
        }
        do {
            return .url(try PercentCoding.decode(bytes))
        } catch {
            throw RequestError(parameter: "path", reason: "has an image that \(error.reason)")
        }
    }

    private init(options bytes: ArraySlice<UInt8>) throws(RequestError) {
        var options: [String: OptionValue] = [:]
        for part in Self.split(bytes) where !part.isEmpty {
            let text: String
            do {
                text = try PercentCoding.decode(part)
            } catch {
                throw RequestError(parameter: "path", reason: "has an option that \(error.reason)")
            }
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            guard !sides[0].isEmpty else {
                throw RequestError(parameter: "path", reason: "has an option without a name")
            }
            guard sides.count == 2, !sides[1].isEmpty else {
                throw RequestError(parameter: sides[0], reason: "must be written as name=value")
            }
            let name = Self.aliases[sides[0]] ?? sides[0]
            guard Self.names.contains(name) else {
                let hint = NearestName.hint(sides[0], among: Self.names.sorted())
                throw RequestError(parameter: sides[0], reason: "is not an option of Cloudflare's URLs\(hint)")
            }
            guard options.updateValue(OptionValue(name: sides[0], text: sides[1]), forKey: name) == nil else {
                throw RequestError(parameter: sides[0], reason: "is given more than once")
            }
        }
        guard !options.isEmpty else { throw RequestError(parameter: "path", reason: "has no options") }
        self.options = options
    }

    /// Splits at commas outside parentheses: colours such as `rgb(240,40,145)` have their own.
    private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var (start, depth) = (bytes.startIndex, 0)
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ",") where depth <= 0:
                parts.append(bytes[start..<index])
                start = index + 1
            default: break
            }
        }
        return parts + [bytes[start...]]
    }

    private static let aliases = [
        "w": "width", "h": "height", "q": "quality", "f": "format", "g": "gravity", "face-zoom": "zoom",
        "scq": "slow-connection-quality",
    ]

    private static let names: Set<String> = [
        "anim", "background", "blur", "border", "brightness", "compression", "contrast", "dpr", "fit", "flip", "format",
        "gamma", "gravity", "height", "metadata", "onerror", "quality", "rotate", "saturation", "segment", "sharpen",
        "slow-connection-quality", "trim", "trim.height", "trim.left", "trim.top", "trim.width", "upscale", "width",
        "zoom",
    ]

    subscript(name: String) -> OptionValue? { options[name] }
}
