import LinuxSystem
import Synchronization

/// The resolver that requests are understood with, which a reload replaces; any thread.
///
/// Event loops keep copies of their own, and see by one atomic load whether theirs is still the last.
final class ResolverCell: Sendable {
    private let resolver: Lock<RequestResolver>
    private let version = Atomic<UInt64>(1)

    init(_ resolver: RequestResolver) { self.resolver = Lock(resolver) }

    /// Changes with each replacement; never 0.
    @inline(__always)
    var generation: UInt64 { version.load(ordering: .acquiring) }

    /// The resolver, and the generation that it is at least of.
    var current: (resolver: RequestResolver, generation: UInt64) {
        // The generation first: at worst a loop reads a new resolver under an old number, and looks once more.
        let generation = generation
        return (resolver.withLock { $0 }, generation)
    }

    /// Lets requests be understood otherwise from now on.
    func replace(_ new: RequestResolver) {
        resolver.withLock { $0 = new }
        version.add(1, ordering: .releasing)
    }
}
