/// An entry of `rules`: settings for the requests that it matches (SDWebImage: `SDWebImageOptionsProcessor`).
struct ConfiguredRule: Sendable, Equatable {
    /// The name in explanations; `nil` for its number.
    var name: String?
    var match = RuleMatch()
    var change: RuleChange
    /// Whether no later rule applies to a request that this one matches.
    var isLast = false

    /// The name, or the number in the file, from 1.
    func label(_ index: Int) -> String { name ?? "rule \(index + 1)" }
}
