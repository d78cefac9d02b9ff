import LinuxSystem

/// Counters of requests by site; any thread.
///
/// The names are those of the configuration, so their number is bounded by it.
final class SiteCounters: Sendable {
    private let loops: Int
    private let counters = Lock<[String: Counter<NoLabel>]>([:])

    init(loops: Int) { self.loops = loops }

    /// The counter of a site, which is created with the site.
    func counter(of site: String) -> Counter<NoLabel> {
        counters.withLock { counters in
            if let known = counters[site] { return known }
            let counter = Counter<NoLabel>(loops: loops)
            counters[site] = counter
            return counter
        }
    }

    /// Forgets the counters of all other sites.
    func keep(only sites: Set<String>) {
        counters.withLock { counters in counters = counters.filter { sites.contains($0.key) } }
    }
}
