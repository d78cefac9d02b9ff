/// The folder on disk that bodies are received into, and whether it keeps up.
///
/// The kernel makes writers wait when a disk falls behind (`balance_dirty_pages`), and all transfers share one thread. So bodies for
/// which memory has room are received there for some seconds after a write has taken long. Used by one thread.
final class BodyFolder {
    /// Nanoseconds that a write may take.
    static let patience: Int64 = 20_000_000
    /// Nanoseconds for which the folder is left alone after a slower one.
    static let rest: Int64 = 10_000_000_000
    /// Bytes from which a body that will be stored is received into the folder; shorter ones are copied, which takes little time.
    static let smallest = 65_536

    let path: String
    private var slowUntil = Int64.min

    init(path: String) { self.path = path }

    /// Whether recent writes were fast; `now` is in monotonic nanoseconds.
    func keepsUp(at now: Int64) -> Bool { now >= slowUntil }

    /// Records a write from `start` to `end`, in monotonic nanoseconds.
    func noteWrite(from start: Int64, to end: Int64) {
        if end - start > Self.patience { slowUntil = end + Self.rest }
    }
}
