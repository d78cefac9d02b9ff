import HTTPCache
import LinuxSystem
import TestSupport

/// Leases that the test grants.
final class ScriptedLeases: DownloadLeasing {
    /// A request for a lease; one of the methods is to be called, once.
    struct Request: Sendable {
        let key: CacheKey
        fileprivate let proceed: @Sendable (DownloadLease?) -> Void
        fileprivate let find: @Sendable () -> Void

        func grant(_ lease: DownloadLease) { proceed(lease) }
        /// Lets it download without a lease.
        func free() { proceed(nil) }
        /// Lets it look into the shared store, and download if nothing is there.
        func look() { find() }
    }

    let longestWait: Int64 = 2_000_000_000
    private let requests = Signal<[Request]>([])
    private let ended = Signal<[DownloadLease.End]>([])

    var all: [Request] { requests.value }
    /// How the leases of `grant` have ended, in order.
    var ends: [DownloadLease.End] { ended.value }

    /// Waits for `count` requests.
    func wait(for count: Int) throws -> [Request] { try requests.wait { $0.count >= count } }

    /// Waits for the request of a number, counted from 1, and grants it a lease.
    func grant(_ number: Int) throws {
        try wait(for: number)[number - 1].grant(DownloadLease { [ended] end in ended.update { $0.append(end) } })
    }

    /// Waits until leases have ended in these ways.
    func wait(forEnds ends: [DownloadLease.End]) throws { try ended.wait { $0 == ends } }

    func take<Found: Sendable>(
        original key: CacheKey,
        look: @escaping @Sendable (@escaping @Sendable (Found?) -> Void) -> Void,
        completion: @escaping @Sendable (DownloadTurn<Found>) -> Void
    ) {
        let request = Request(key: key) { lease in
            completion(lease.map { DownloadTurn.own($0) } ?? .free)
        } find: {
            look { found in completion(found.map { DownloadTurn.found($0) } ?? .free) }
        }
        requests.update { $0.append(request) }
    }
}
