import LinuxSystem

/// The results of forms, which the page after the redirection shows; any thread.
///
/// They are kept here rather than in the address, so that a link cannot make a page state something.
final class Notices: Sendable {
    /// The result of a form.
    struct Notice: Hashable, Sendable {
        var text: String
        var isError: Bool
        /// The id of a warm job that the form has started.
        var job: Int?
    }

    private struct Entry {
        var id: String
        var notice: Notice
    }

    /// Notices that are kept; older ones are forgotten.
    private static let capacity = 32

    private let entries = Lock(RecentRing<Entry>(capacity: Notices.capacity))

    /// Keeps a notice, and returns its random identifier.
    func keep(_ notice: Notice) -> String {
        let id = String(UInt64.random(in: 1 << 60 ... .max), radix: 36)
        entries.withLock { $0.append(Entry(id: id, notice: notice)) }
        return id
    }

    /// The notice of an identifier; `nil` if it is unknown or forgotten.
    func find(_ id: String) -> Notice? {
        entries.withLock { entries in entries.ordered.last { $0.id == id }?.notice }
    }
}
