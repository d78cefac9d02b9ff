/// A request's part in the entry of its URL: as long as somebody holds it, all who ask for the URL see one and the same.
final class RawHold: Sendable {
    /// Whether the entry was read from disk for it.
    let isFromDisk: Bool
    private let release: @Sendable () -> Void

    /// - Parameter release: called when nobody has the hold any more; not under the cache's lock.
    init(isFromDisk: Bool, release: @escaping @Sendable () -> Void) {
        self.isFromDisk = isFromDisk
        self.release = release
    }

    deinit { release() }
}
