/// A reference that keeps a URL's entry alive during a request; all holders of a URL share one entry.
final class RawHold: Sendable {
    /// Whether this request read the entry from disk.
    let isFromDisk: Bool
    private let release: @Sendable () -> Void

    /// - Parameter release: called when the last reference to the hold is released; not under the cache's lock.
    init(isFromDisk: Bool, release: @escaping @Sendable () -> Void) {
        self.isFromDisk = isFromDisk
        self.release = release
    }

    deinit { release() }
}
