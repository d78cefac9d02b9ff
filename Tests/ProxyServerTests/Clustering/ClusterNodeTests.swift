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
    /// A node over an empty cache.
    private struct Rig {
        let folder: TemporaryFolder
        let lane: WorkLane
        let store: DiskStore
        let node: ClusterNode

        init(_ progress: PurgeProgress = .alone, time: ManualTime = ManualTime(), logger: Logger) throws {
            folder = try TemporaryFolder()
            lane = try WorkLane(WorkLane.Configuration(name: "read"))
            store = try DiskStore(DiskStore.Configuration(path: folder.path + "/cache", time: time))
            let stages = EmptyStages(disk: store, lane: lane, loader: EmptyLoader(), time: time)
            node = ClusterNode(stages.pipeline, stages.raw, store, progress, time: time, logger: logger)
        }
    }

    @Test func `losing touch with the log is a line with the reason, and regaining it is another`() throws {
        let (time, log) = (ManualTime(), RecordedLog())
        let progress = PurgeProgress(.revalidate, from: nil, time: time)
        let rig = try Rig(progress, time: time, logger: log.logger)
        defer { rig.lane.stop() }
        func beat() { rig.node.inTouch(until: UInt64(time.monotonic + 1_000_000_000)) }
        beat()
        // One call may fail, and its repetition succeed.
        rig.node.failed(.outcomeUnknown("cut off"))
        beat()
        time.advance(seconds: 1)
        rig.node.failed(.unreachable("no route"))
        rig.node.failed(.unreachable("refused"))
        beat()
        time.advance(seconds: 2)
        rig.node.failed(.refused("LOADING"))
        let inTouch = "notice: in touch with the log of purges"
        let lost = "warning: out of touch with the log of purges reason="
        #expect(
            log.lines == [
                inTouch, lost + "the log cannot be reached: no route", inTouch, lost + "the log refuses: LOADING",
            ]
        )
    }

    @Test func `a purge that a stopping node does not apply any more ends the wait for it`() throws {
        let rig = try Rig(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        defer { rig.lane.stop() }
        let (store, node) = (rig.store, rig.node)
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
