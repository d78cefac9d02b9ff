import Cluster
import HTTPCache
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport

/// A pipeline with a memory and a disk of its own, over a bucket that several of them share.
final class ClusterNode {
    let store: SharedStore
    let rig: PipelineRig
    private let verdict: Verdict

    private final class Verdict: Sendable {
        let value = Lock(SharedVerdict.usable)
    }

    /// - Parameters:
    ///   - prefix: the keys of the objects that the nodes share.
    ///   - endpoint: of the store; `nil` for SeaweedFS.
    ///   - firstByte: the budget of a read in milliseconds of `time`; by default, slow machines are waited for.
    ///   - outOfTouch: what it does out of touch; `nil` outside of a cluster with a log.
    ///   - ledgers: the accounts of bodies in memory; `nil` if they are not counted.
    ///   - leases: with which the nodes take turns at downloads; `nil` for none.
    ///   - wrapping: returns what the pipeline uses in place of the store.
    init(
        _ prefix: String,
        endpoint: String? = nil,
        firstByte: Int = 20_000,
        time: any TimeSource = SystemTime(),
        outOfTouch: PurgeProgress.OutOfTouch? = nil,
        ledgers: BodyLedgers? = nil,
        leases: (any DownloadLeasing)? = nil,
        wrapping: (SharedStore) -> any SharedStoring = { $0 }
    ) throws {
        let endpoint = try endpoint ?? SeaweedFS.shared().endpoint
        var configuration = SharedStore.Configuration(
            bucket: ObjectBucket(name: SeaweedFS.bucket, prefix: prefix, endpoint: endpoint),
            credentials: .accessKey(id: SeaweedFS.accessKey, secret: Secret(SeaweedFS.secretKey), session: nil),
            reading: ObjectRequest.Patience(firstByte: firstByte, rest: 20_000),
            encoders: "1"
        )
        configuration.results = 0
        configuration.isReadable = PictureMetadata.isReadable
        configuration.writing = ObjectRequest.Patience(firstByte: 20_000, rest: 20_000)
        let verdict = Verdict()
        self.verdict = verdict
        store = try SharedStore(configuration, time: time, place: { SharedPlace(sequence: 1, log: "m") }) { _, _ in
            verdict.value.withLock { $0 }
        }
        rig = try PipelineRig(outOfTouch: outOfTouch, shared: wrapping(store), ledgers: ledgers, leases: leases)
    }

    /// Sets what the purges since any place mean.
    func set(_ verdict: SharedVerdict) { self.verdict.value.withLock { $0 = verdict } }

    /// Waits until everything queued has been written or given up.
    func settle() throws {
        guard store.queue.waitUntilEmpty(nanoseconds: 30_000_000_000) else { throw SignalTimeout() }
    }

    /// Requests a variant of a PNG of 1700 × 880 pixels, which the origin sends and a worker makes, and waits until it is shared.
    func fill(_ path: String, width: Int, cacheControl: String = "max-age=3600", entityTag: String? = nil) throws
        -> Answer
    {
        let pending = rig.ask(path, "?w=\(width)&format=png")
        try rig.loader.wait(for: 1)[0].answer(
            rig.png(),
            at: rig.time.wallSeconds,
            cacheControl: cacheControl,
            entityTag: entityTag
        )
        try rig.transformer.wait(for: 1)[0].make(width: width)
        let answer = try pending.value()
        try settle()
        return answer
    }
}

extension ScriptedTransformer.Job {
    /// Sends a square PNG of a width as the only result.
    func make(width: Int) {
        make([
            WorkerReply.Output(
                format: .png,
                width: width,
                height: width,
                frames: 1,
                hasAlpha: false,
                length: 10 * width
            )
        ])
    }
}
