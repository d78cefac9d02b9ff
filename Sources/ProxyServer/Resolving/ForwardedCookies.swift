import HTTPKit

/// The cookies of a request that its source forwards.
enum ForwardedCookies {
    /// The value of `Cookie` for the origin, in the order of the names; `nil` if the client has none of them.
    ///
    /// Of several cookies of a name the first counts (RFC 6265 §5.4: the most specific one is sent first).
    static func text(_ names: [String], _ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> String? {
        var values: [String: String] = [:]
        for field in head.fields where bytes.equalsIgnoringCase(field.name, "cookie") {
            for pair in String(decoding: bytes.copy(field.value), as: UTF8.self).split(separator: ";") {
                let pair = pair.drop { $0 == " " || $0 == "\t" }
                guard let mark = pair.firstIndex(of: "=") else { continue }
                let name = String(pair[..<mark])
                guard names.contains(name), values[name] == nil else { continue }
                values[name] = String(pair[pair.index(after: mark)...])
            }
        }
        let pairs = names.compactMap { name in values[name].map { "\(name)=\($0)" } }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }
}
