/// The program's version.
enum Version {
    /// As in the change log.
    static let text = "0.1.0"
    /// The begin of the year in which that was released, 2026-01-01T00:00:00Z: no clock can be before it.
    static let releaseSeconds: Int64 = 1_767_225_600
}
