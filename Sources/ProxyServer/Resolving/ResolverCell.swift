import LinuxSystem
import Synchronization

/// The current resolver, which a reload replaces; any thread.
///
/// Event loops keep copies, and check with one atomic load whether theirs is current.
final class ResolverCell: Sendable {
    private let resolver: Lock<RequestResolver>
    private let version = Atomic<UInt64>(1)

    init(_ resolver: RequestResolver) { self.resolver = Lock(resolver) }

    /// The generation, which changes with each replacement; never 0.
    @inline(__always)
    var generation: UInt64 { version.load(ordering: .acquiring) }

    /// The resolver, with a generation that is not newer than it.
    var current: (resolver: RequestResolver, generation: UInt64) {
        // The generation is read first: at worst a loop stores a new resolver under an old number and reloads it once more.
        let generation = generation
        return (resolver.withLock { $0 }, generation)
    }

    /// Replaces the resolver for subsequent requests.
    func replace(_ new: RequestResolver) {
        resolver.withLock { $0 = new }
        version.add(1, ordering: .releasing)
    }
}
