import Synchronization

/// Whether traffic is welcome: from the moment when the listeners are open until draining begins; any thread.
final class Readiness: Sendable {
    private let ready = Atomic(false)

    var isReady: Bool {
        get { ready.load(ordering: .acquiring) }
        set { ready.store(newValue, ordering: .releasing) }
    }
}
