import LinuxSystem
import Synchronization

/// The current sites with their resolvers, which a reload replaces; any thread.
///
/// Event loops keep references, and check with one atomic load whether theirs is current.
final class ResolverCell: Sendable {
    private let sites: Lock<SiteTable>
    private let version = Atomic<UInt64>(1)

    init(_ sites: SiteTable) { self.sites = Lock(sites) }

    /// Creates a cell with only the default site.
    convenience init(_ resolver: RequestResolver) { self.init(SiteTable(resolver)) }

    /// The generation, which changes with each replacement; never 0.
    @inline(__always)
    var generation: UInt64 { version.load(ordering: .acquiring) }

    /// The sites, with a generation that is not newer than they are.
    var current: (sites: SiteTable, generation: UInt64) {
        // The generation is read first: at worst a loop stores new sites under an old number and reloads them once more.
        let generation = generation
        return (sites.withLock { $0 }, generation)
    }

    /// The current sites.
    var table: SiteTable { sites.withLock { $0 } }

    /// Replaces the sites for subsequent requests.
    func replace(_ new: SiteTable) {
        sites.withLock { $0 = new }
        version.add(1, ordering: .releasing)
    }
}
