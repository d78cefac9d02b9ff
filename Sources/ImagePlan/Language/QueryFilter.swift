/// Decides by its name what happens to a query parameter that is not part of the request language (SDWebImage:
/// `SDWebImageCacheKeyFilter`).
///
/// Names are literal or have `*`. The most specific of the matching ones decides: a literal name before a pattern, and among
/// patterns the one with more literal characters.
package struct QueryFilter: Hashable, Sendable {
    /// What happens to a parameter.
    package enum Use: Int, Hashable, Sendable {
        /// It is sent to the origin and part of the cache key.
        case forward
        /// It is sent to the origin and not part of the cache key, such as a signature.
        case unkeyed
        /// It is dropped.
        case ignore
    }

    /// Whether the parameters for the origin are sorted by name, so that their order makes no difference.
    package var isSorted: Bool
    private let literals: [String: Use]
    /// The most specific first.
    private let patterns: [Pattern]

    private struct Pattern: Hashable, Sendable {
        let glob: Glob
        let use: Use
    }

    /// Creates a filter from names and patterns.
    package init(
        forward: some Sequence<String> = [String](),
        ignore: some Sequence<String> = [String](),
        unkeyed: some Sequence<String> = [String](),
        isSorted: Bool = false
    ) {
        let all =
            forward.map { Pattern(glob: Glob($0), use: .forward) }
            + unkeyed.map { Pattern(glob: Glob($0), use: .unkeyed) }
            + ignore.map { Pattern(glob: Glob($0), use: .ignore) }
        let exact = all.filter(\.glob.isLiteral).map { ($0.glob.text, $0.use) }
        literals = Dictionary(exact) { first, _ in first }
        patterns = all.filter { !$0.glob.isLiteral }.sorted {
            ($1.glob.weight, $0.use.rawValue, $0.glob.text) < ($0.glob.weight, $1.use.rawValue, $1.glob.text)
        }
        self.isSorted = isSorted
    }

    /// Whether it changes nothing of a URL whose parameters are all forwarded by default.
    package var isTrivial: Bool { literals.isEmpty && patterns.isEmpty && !isSorted }

    /// The literal names, for suggestions.
    package var names: [String] { literals.keys.sorted() }

    /// The use of a parameter; `nil` if no name or pattern matches.
    package func use(of name: String) -> Use? {
        literals[name] ?? patterns.first { $0.glob.matches(name) }?.use
    }

    /// The query for the origin, and the part of it that belongs to the cache key.
    package struct Outcome: Hashable, Sendable {
        /// The pairs for the origin, raw, joined by `&`; empty for none.
        package var sent = ""
        /// The same without unkeyed pairs.
        package var keyed = ""

        /// Creates an outcome.
        package init(sent: String = "", keyed: String = "") {
            self.sent = sent
            self.keyed = keyed
        }
    }

    /// Joins the pairs of a query that are not ignored.
    func outcome(_ pairs: [(name: String, raw: String, use: Use)]) -> Outcome {
        var kept = pairs.filter { $0.use != .ignore }
        if isSorted {
            kept = kept.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
                .map(\.element)
        }
        return Outcome(
            sent: kept.map(\.raw).joined(separator: "&"),
            keyed: kept.filter { $0.use == .forward }.map(\.raw).joined(separator: "&")
        )
    }

    /// Applies the filter to the raw query of a whole URL; parameters that nothing matches are forwarded.
    package func apply(to query: String) -> Outcome {
        guard !isTrivial else { return Outcome(sent: query, keyed: query) }
        return outcome(
            query.split(separator: "&").map { raw in
                let name = Self.name(of: raw)
                return (name, String(raw), use(of: name) ?? .forward)
            }
        )
    }

    /// The decoded name of a raw pair; the raw one if it cannot be decoded.
    package static func name(of raw: some StringProtocol) -> String {
        let bytes = Array(raw.utf8.prefix { $0 != UInt8(ascii: "=") })
        return (try? PercentCoding.decode(bytes[...])) ?? String(decoding: bytes, as: UTF8.self)
    }
}
