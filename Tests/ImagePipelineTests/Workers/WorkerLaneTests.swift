import TestSupport
import Testing

@testable import ImagePipeline

/// What worker slots remember of their jobs.
@Suite(.timeLimit(.minutes(1)))
struct WorkerLaneTests {
    private func title(_ number: Int) -> JobTitle {
        var title = JobTitle()
        title.source = "photos"
        title.url = "/\(number)"
        return title
    }

    @Test func `a lane remembers its latest runs`() {
        var lane = WorkerLane()
        lane.end(at: 1)
        for number in 0..<100 {
            lane.begin(title(number), at: Int64(number * 10))
            #expect(lane.runs.last?.end == nil && lane.runs.count <= WorkerLane.capacity)
            lane.end(at: Int64(number * 10 + 5))
        }
        #expect(lane.runs.count == WorkerLane.capacity)
        #expect(lane.runs.first?.title.url == "/\(100 - WorkerLane.capacity)")
        #expect(lane.runs.last == WorkerLane.Run(title: title(99), start: 990, end: 995))
    }

    @Test func `a pool shows the job that a worker runs, and when it ended`() async throws {
        try await PoolBench.withPool { pool in
            var job = try PoolBench.slowJob()
            job.title = title(7)
            let handle = pool.transform(job) { _ in }
            try await suspendWhile(pool.lanes[0].runs.isEmpty)
            #expect(pool.lanes[0].runs.last?.title == title(7) && pool.lanes[0].runs.last?.end == nil)
            handle.cancel()
            try await suspendWhile(pool.lanes[0].runs.last?.end == nil)
            #expect(pool.lanes.count == 1)
        }
    }
}
