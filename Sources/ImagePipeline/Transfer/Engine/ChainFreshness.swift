/// A redirect chain is as fresh as its least fresh hop: the key is the first URL, and every hop had its say.
///
/// What decides freshness (`Cache-Control`, `Expires`, `Date`, `Age` and the times) is taken whole from the hop that allows
/// the least; validators and the type stay the last answer's. A hop that says nothing leaves the others their word.
enum ChainFreshness {
    /// The last answer's fields as fresh as the chain.
    static func combine(hops: [OriginFields], last: OriginFields) -> OriginFields {
        var result = last
        var least = allowance(last)
        for hop in hops {
            guard let allowed = allowance(hop), least.map({ allowed < $0 }) ?? true else { continue }
            least = allowed
            result.cacheControl = hop.cacheControl
            result.expires = hop.expires
            result.date = hop.date
            result.age = hop.age
            result.requestTime = hop.requestTime
            result.responseTime = hop.responseTime
        }
        return result
    }

    /// What an answer allows a shared cache, comparable; `nil` when it says nothing.
    ///
    /// RFC 9111 §4.2.1 in its order: no-store, private and no-cache below all seconds, then s-maxage, max-age, Expires.
    static func allowance(_ fields: OriginFields) -> Int64? {
        let directives = directives(fields.cacheControl ?? "")
        if directives["no-store"] != nil { return .min }
        if directives["private"] != nil { return .min + 1 }
        if directives["no-cache"] != nil { return .min + 2 }
        let age = fields.age.flatMap { Int64($0) } ?? 0
        for name in ["s-maxage", "max-age"] {
            // RFC 9111 §4.2.1: an invalid lifetime is a stale one.
            if let value = directives[name] { return (seconds(value) ?? 0) - max(0, age) }
        }
        guard let expires = fields.expires else { return nil }
        // RFC 9111 §5.3: an invalid date, "0" above all, is in the past.
        guard let end = TransferDate.seconds(expires) else { return -max(0, age) }
        let start = fields.date.flatMap { TransferDate.seconds($0) } ?? fields.responseTime
        return end - start - max(0, age)
    }

    private static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        // RFC 9111 §1.2.2: what is too great to hold counts as the greatest.
        return min(Int64(text) ?? .max, 1 << 31)
    }

    private static func directives(_ text: String) -> [String: String] {
        var found: [String: String] = [:]
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard let first = pair.first else { continue }
            let name = first.filter { $0 != " " && $0 != "\t" }.lowercased()
            let value = pair.count > 1 ? pair[1].filter { $0 != " " && $0 != "\t" && $0 != "\"" } : ""
            if found[name] == nil { found[name] = value }
        }
        return found
    }
}
