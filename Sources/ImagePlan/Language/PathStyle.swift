/// The path style of requests: parameters as the first segment below a source, `/photos/w=400,h=300/cat.jpg`.
///
/// It is an alias of the query, for CDNs that drop or reorder queries: the pairs of the segment stand before those of the query, in
/// their order, and everything else follows from the aliased request, signatures and cache keys included.
///
/// A comma separates pairs if a name and `=` follow it; other commas, and each `%2C`, belong to the value:
/// `gravity=0.3,0.7,w=400` has two pairs.
package enum PathStyle {
    /// The request that a path with parameters is an alias of, as raw bytes; `nil` if its first segment below the source has no `=`.
    ///
    /// A `=` in the first segment of a real path is written as `%3D`.
    ///
    /// - Throws: 400, naming `path`, if the segment is not `name=value`, has a `&`, or if no path follows it.
    package static func unfolded(
        path: [UInt8],
        query: [UInt8]
    ) throws(RequestError) -> (path: [UInt8], query: [UInt8])? {
        guard let second = path.dropFirst().firstIndex(of: slash) else { return nil }
        let segment = path[(second + 1)...].prefix { $0 != slash }
        guard segment.contains(equals) else { return nil }
        guard startsPair(segment) else {
            throw error("has a segment of parameters that is not name=value,…; a = of a real name is written as %3D")
        }
        guard !segment.contains(ampersand) else {
            throw error(
                "has a segment of parameters with a &: commas separate them, and a & of a value is written as %26"
            )
        }
        guard segment.endIndex < path.endIndex else {
            throw error("ends after its parameters; the image's path follows them")
        }
        var pairs = Array(segment)
        for index in segment.indices where segment[index] == comma && startsPair(segment[(index + 1)...]) {
            pairs[index - segment.startIndex] = ampersand
        }
        if !query.isEmpty { pairs += [ampersand] + query }
        return (Array(path[..<second]) + path[segment.endIndex...], pairs)
    }

    /// A path and a query in path style, the reverse of `unfolded`; `nil` for a pair that has no place in a path: without a value, or
    /// with a name of other characters than `a-z`, `0-9`, `-` and `_`.
    ///
    /// - Parameters:
    ///   - path: the raw path, `/NAME/PATH`.
    ///   - query: the raw query, without the `?`; if it is empty, the path is returned unchanged.
    package static func folded(path: String, query: String) -> String? {
        guard !query.isEmpty else { return path }
        let bytes = Array(path.utf8)
        guard let second = bytes.dropFirst().firstIndex(of: slash) else { return nil }
        var segment: [UInt8] = []
        for pair in Array(query.utf8).split(separator: ampersand) {
            guard startsPair(pair) else { return nil }
            if !segment.isEmpty { segment.append(comma) }
            for index in pair.indices {
                switch pair[index] {
                case slash: PercentCoding.append(slash, to: &segment)
                case comma where startsPair(pair[(index + 1)...]): PercentCoding.append(comma, to: &segment)
                case let byte: segment.append(byte)
                }
            }
        }
        return String(decoding: bytes[...second] + segment + bytes[second...], as: UTF8.self)
    }

    /// Whether a text begins with a name and `=`.
    private static func startsPair(_ text: ArraySlice<UInt8>) -> Bool {
        let name = text.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
        }
        guard let first = name.first, first >= UInt8(ascii: "a") else { return false }
        return name.endIndex < text.endIndex && text[name.endIndex] == equals
    }

    private static let slash = UInt8(ascii: "/")
    private static let equals = UInt8(ascii: "=")
    private static let comma = UInt8(ascii: ",")
    private static let ampersand = UInt8(ascii: "&")

    private static func error(_ reason: String) -> RequestError {
        RequestError(parameter: "path", reason: reason)
    }
}
