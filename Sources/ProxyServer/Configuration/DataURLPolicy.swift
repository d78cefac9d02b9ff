/// Who may send `data:` URLs to `/fetch`.
enum DataURLPolicy: String, Sendable, CaseIterable {
    /// Signed requests.
    case signed
    /// All requests.
    case any
    /// None.
    case off
}
