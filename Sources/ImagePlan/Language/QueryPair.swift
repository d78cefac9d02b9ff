/// A name–value pair of a query, raw and decoded.
package struct QueryPair: Hashable, Sendable {
    /// The pair as received; valid UTF-8.
    package let raw: String
    package let name: String
    /// `nil` if the pair has no `=`.
    package let value: String?

    /// The maximum number of pairs in a query.
    package static let maximumCount = 128

    /// Splits a query at `&` and each pair at its first `=`, and decodes names and values once; empty pairs are ignored.
    package static func split(_ query: [UInt8]) throws(RequestError) -> [QueryPair] {
        var pairs: [QueryPair] = []
        for bytes in query.split(separator: UInt8(ascii: "&")) {
            guard pairs.count < maximumCount else {
                throw RequestError(parameter: "query", reason: "has more than \(maximumCount) parameters")
            }
            pairs.append(try QueryPair(bytes))
        }
        return pairs
    }

    private init(_ bytes: ArraySlice<UInt8>) throws(RequestError) {
        let separator = bytes.firstIndex(of: UInt8(ascii: "="))
        let rawName = bytes[..<(separator ?? bytes.endIndex)]
        do {
            name = try PercentCoding.decode(rawName)
        } catch {
            throw RequestError(parameter: String(decoding: rawName, as: UTF8.self), reason: error.reason)
        }
        guard !name.isEmpty else { throw RequestError(parameter: "query", reason: "has a parameter without a name") }
        if let separator {
            do {
                value = try PercentCoding.decode(bytes[(separator + 1)...])
            } catch {
                throw RequestError(parameter: name, reason: error.reason)
            }
        } else {
            value = nil
        }
        // Decoding succeeded, so the raw bytes are valid UTF-8.
        raw = String(decoding: bytes, as: UTF8.self)
    }

    /// The pair as a parameter, whose value must not be empty.
    package func parameter() throws(RequestError) -> Parameter {
        guard let value, !value.isEmpty else { throw RequestError(parameter: name, reason: "has no value") }
        return Parameter(name, value)
    }
}
