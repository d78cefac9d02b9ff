import Cluster
import HTTPCache
import ImagePipeline
import LinuxSystem
import Logging
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ClusterNodeTests {
    @Test func `a purge that a stopping node does not apply any more ends the wait for it`() throws {
        let (folder, time) = (try TemporaryFolder(), ManualTime())
        let lane = try WorkLane(WorkLane.Configuration(name: "read"))
        defer { lane.stop() }
        let store = try DiskStore(DiskStore.Configuration(path: folder.path + "/cache", time: time))
        let loader = EmptyLoader()
        let pipeline = Pipeline(
            PipelineParts(
                memory: MemoryCache(MemoryCache.Configuration(capacity: 1 << 20)),
                disk: store,
                readLane: lane,
                loader: loader,
                transformer: NoWorkers(),
                time: time,
                limits: PipelineParts.Limits(),
                presentation: EntityPresentation.fields
            )
        )
        let raw = RawProxy<OriginRequest>(
            cache: RawCache(capacity: 1 << 20, disk: nil),
            loader: loader,
            failures: pipeline.failures,
            lane: lane,
            time: time,
            waiters: 10
        )
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let node = ClusterNode(pipeline, raw, store, .alone, time: time, logger: logger)
        // From now on, it refuses purges.
        store.close()
        node.stop()
        let told = Signal<[PurgeCounts]>([])
        node.outcomes.take(2) { counts in told.update { $0.append(counts) } }
        let place = LogPlace(sequence: 2, mark: "0123456789abcdef", log: "l")
        node.apply(LogEntry(place: place, previous: "fedcba9876543210", payload: []))
        #expect(told.value == [PurgeCounts()])
        // A request may learn the sequence of its purge later.
        node.outcomes.take(2) { counts in told.update { $0.append(counts) } }
        #expect(told.value.count == 2)
    }
}
