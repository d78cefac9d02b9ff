/// Why a header reader stops before it knows everything.
enum SniffStop: Error, Hashable {
    /// The file goes on, but the bytes at hand end before this offset.
    case needsMore(Int)
    /// What breaks the format's rules.
    case malformed(String)
}
