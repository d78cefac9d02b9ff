import CacheTestSupport
import Cluster
import HTTPCache
import LinuxSystem
import OriginTransfer
import TestSupport

/// Stores over parts of an engine's bucket.
enum StoreRig {
    /// Creates a store that waits for slow machines.
    ///
    /// - Parameters:
    ///   - engine: SeaweedFS unless it matters.
    ///   - endpoint: the engine's, or a proxy's in front of it.
    ///   - verdict: what the purges since a place mean.
    static func store(
        _ prefix: String,
        in engine: StoreEngine = .seaweedFS,
        endpoint: String? = nil,
        secret: String? = nil,
        firstByte: Int = 20_000,
        time: any TimeSource = SystemTime(),
        place: SharedPlace = SharedPlace(),
        change: (inout SharedStore.Configuration) -> Void = { _ in },
        verdict: @escaping @Sendable (PurgeSubject, SharedPlace) -> SharedVerdict = { _, _ in .usable }
    ) throws -> SharedStore {
        let endpoint = try endpoint ?? engine.endpoint
        var configuration = SharedStore.Configuration(
            bucket: ObjectBucket(name: engine.bucket, prefix: prefix, endpoint: endpoint),
            credentials: .accessKey(id: engine.accessKey, secret: Secret(secret ?? engine.secretKey), session: nil),
            reading: ObjectRequest.Patience(firstByte: firstByte, rest: 20_000),
            encoders: "1"
        )
        configuration.results = 0
        configuration.writing = ObjectRequest.Patience(firstByte: 20_000, rest: 20_000)
        change(&configuration)
        return try SharedStore(configuration, time: time, place: { place }, verdict: verdict)
    }
}

extension SharedStore {
    /// Waits until everything queued has been written or given up.
    func settle() throws {
        guard queue.waitUntilEmpty(nanoseconds: 30_000_000_000) else { throw SignalTimeout() }
    }

    func original(_ key: CacheKey, atMost limit: Int = .max, needsBody: Bool = true) throws -> SharedOriginal? {
        let found = Signal<SharedOriginal??>(nil)
        find(original: key, atMost: limit, needsBody: needsBody) { original in
            found.update { $0 = .some(original) }
        }
        return try found.wait { $0 != nil } ?? nil
    }

    func result(_ plan: CacheKey, of record: OriginRecord) throws -> SharedResult? {
        let found = Signal<SharedResult??>(nil)
        find(result: plan, of: record.digest, for: PurgeSubject(record)) { received in
            found.update { $0 = .some(received?.decoded()) }
        }
        return try found.wait { $0 != nil } ?? nil
    }

    func mezzanine(_ plan: CacheKey, of record: OriginRecord) throws -> SharedResult? {
        let found = Signal<SharedResult??>(nil)
        find(mezzanine: plan, of: record.digest) { received in
            found.update { $0 = .some(received?.decoded()) }
        }
        return try found.wait { $0 != nil } ?? nil
    }
}
