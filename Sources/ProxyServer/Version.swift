/// The program's version.
enum Version {
    /// As in the change log.
    static let text = "0.1.0"
}
