/// What the name of a file says of its content.
enum FileName {
    /// Whether the extension of an address is that of a format with frames instead of pages.
    static func isAnimation(_ address: String) -> Bool {
        let path = address.prefix { $0 != "?" }.lowercased()
        return [".gif", ".webp", ".png", ".apng", ".avif"].contains { path.hasSuffix($0) }
    }
}
