import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// The cache of a raw source over a disk store, with an origin that the test scripts.
final class RawRig {
    static let now: Int64 = 1_700_000_000

    let folder: TemporaryFolder
    let time = ManualTime(wallSeconds: RawRig.now)
    let loader = ScriptedLoader()
    private(set) var store: DiskStore
    private(set) var proxy: RawProxy<OriginRequest>
    private let lane: WorkLane
    private let memory: Int
    private let quota: Int
    private let outOfTouch: PurgeProgress.OutOfTouch?
    private(set) var progress: PurgeProgress

    /// - Parameters:
    ///   - memory: bytes of the memory cache; 0 disables it.
    ///   - quota: the disk quota of originals in bytes.
    ///   - outOfTouch: what the node of a cluster does out of touch; `nil` outside of one.
    init(memory: Int = 1 << 20, quota: Int = 1 << 30, outOfTouch: PurgeProgress.OutOfTouch? = nil) throws {
        folder = try TemporaryFolder()
        lane = try WorkLane(WorkLane.Configuration(name: "raw-test"))
        self.memory = memory
        self.quota = quota
        self.outOfTouch = outOfTouch
        store = try DiskStore.forTest(folder.path, time: time) { $0.limits.originals = quota }
        progress = Self.progress(outOfTouch, store, time)
        proxy = Self.proxy(store, loader, lane, time, memory, progress)
    }

    private static func progress(
        _ outOfTouch: PurgeProgress.OutOfTouch?,
        _ store: DiskStore,
        _ time: ManualTime
    ) -> PurgeProgress {
        outOfTouch.map { PurgeProgress($0, from: store.position, time: time) } ?? .alone
    }

    private static func proxy(
        _ store: DiskStore,
        _ loader: ScriptedLoader,
        _ lane: WorkLane,
        _ time: ManualTime,
        _ memory: Int,
        _ progress: PurgeProgress
    ) -> RawProxy<OriginRequest> {
        RawProxy(
            cache: RawCache(capacity: memory, disk: store),
            loader: loader,
            failures: NegativeCache<PipelineError>(policy: FailurePolicy(), time: time),
            lane: lane,
            time: time,
            waiters: 10,
            progress: progress
        )
    }

    /// Reopens the folder like a new process.
    func restart(losesIndex: Bool = false) throws {
        store.close()
        if losesIndex {
            for suffix in ["", "-wal", "-shm"] { TemporaryFolder.delete(DiskFolder(path: folder.path).index + suffix) }
        }
        store = try DiskStore.forTest(folder.path, time: time) { [quota] in $0.limits.originals = quota }
        progress = Self.progress(outOfTouch, store, time)
        proxy = Self.proxy(store, loader, lane, time, memory, progress)
    }

    static func lines(_ lines: [String]) -> FieldLines { FieldLines(lines.compactMap { FieldLine(line: $0.utf8) }) }

    static func request(
        _ path: String = "a",
        _ fields: [String] = [],
        method: String = "GET",
        tiers: CacheTiers = .all,
        setCookie: SourceRule.SetCookiePolicy = .refuse,
        negative: Bool = false
    ) -> CacheRequest<OriginRequest> {
        var rule = SourceRule(name: "x", location: .http(prefix: "http://x.test/"), cache: CachePolicy(tiers))
        rule.isRaw = true
        rule.setCookie = setCookie
        rule.negative = negative
        let url = "http://x.test/\(path)"
        return CacheRequest(
            method: method,
            origin: OriginRequest(source: rule, at: url),
            fields: lines(fields)
        )
    }

    /// Sends a request with the origin's response; with `nil`, the test fails if the origin is contacted.
    func ask(
        _ request: CacheRequest<OriginRequest>,
        _ fields: [String]? = nil,
        status: Int = 200,
        body: String = ""
    ) throws -> RawAnswer {
        if let answer = proxy.cached(request) { return answer }
        let before = loader.all.count
        let result = Signal<Result<RawAnswer, PipelineError>?>(nil)
        _ = proxy.load(request) { answer in result.update { $0 = answer } }
        if let fields {
            let load = try #require(try loader.wait(for: before + 1).last)
            load.respond(
                FetchedResponse(
                    status: status,
                    fields: Self.lines(fields),
                    content: .bytes(Array(body.utf8)),
                    requestTime: time.wallSeconds,
                    responseTime: time.wallSeconds
                )
            )
        }
        try result.wait { $0 != nil }
        return try #require(result.value).get()
    }

    /// Keeps the read lane's threads busy until `free` is called.
    func holdLane() throws -> HeldLane { try HeldLane(lane) }

    /// Waits until the disk's writer has finished.
    func flush() { store.flush() }

    /// Waits until no request is running and all stored responses are on disk.
    func settle() throws {
        try waitWhile(proxy.cache.heldCount > 0)
        store.flush()
    }
}

extension RawAnswer {
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The whole body, if it is in memory.
    var bytes: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }
    /// The part of the body that is sent.
    var part: ArraySlice<UInt8> { range.map { bytes[$0] } ?? [] }
}
