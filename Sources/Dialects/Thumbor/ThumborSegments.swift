import ImagePlan

/// The segments of a path that are still to be read; what is left at the end is the image.
struct ThumborSegments {
    private(set) var rest: ArraySlice<UInt8>

    private static let slash = UInt8(ascii: "/")

    init(_ path: ArraySlice<UInt8>) { rest = path }

    /// Takes the next segment if it fulfils a condition and is not the last one, which is the image.
    mutating func take(where isWanted: (String) -> Bool) -> String? {
        guard let end = rest.firstIndex(of: Self.slash), end + 1 < rest.endIndex,
            let text = String(validating: rest[..<end], as: UTF8.self), isWanted(text)
        else { return nil }
        rest = rest[(end + 1)...]
        return text
    }

    /// Takes the next segment if it is one of some words.
    mutating func take(_ words: String...) -> String? { take { words.contains($0) } }

    /// Takes `filters:…/` and returns what is between; filters can contain slashes.
    mutating func takeFilters(_ rules: ThumborRules) -> ArraySlice<UInt8> {
        let prefix = Array("filters:".utf8)
        guard rest.starts(with: prefix) else { return [] }
        let body = rest.dropFirst(prefix.count)
        var depth = 0
        for index in body.indices {
            switch body[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case Self.slash where isEnd(index, of: body, depth: depth, rules) && index + 1 < body.endIndex:
                rest = body[(index + 1)...]
                return body[..<index]
            default: break
            }
        }
        return []
    }

    /// Whether a slash ends the filters: for thumbor the first one after a parenthesis, for imagor one outside of parentheses.
    private func isEnd(_ index: Int, of body: ArraySlice<UInt8>, depth: Int, _ rules: ThumborRules) -> Bool {
        rules == .imagor ? depth <= 0 : index > body.startIndex && body[index - 1] == UInt8(ascii: ")")
    }
}
