import HTTPSemantics
import ImagePlan
import Testing

@testable import ImagePipeline

/// Which jobs are refused on arrival, displaced, too late, or ended for others.
@Suite(.timeLimit(.minutes(1)))
struct TransformAdmissionTests {
    typealias Schedule = ScheduleBench.Schedule

    @Test func `a job is refused if its client's turn would come after the queue time, and another client's is not`()
        throws
    {
        let bench = ScheduleBench(workers: 3)
        for index in 0..<2 { try bench.add("a\(index)", of: "a", cost: 1_000) }
        #expect([bench.take(), bench.take()] == ["a0", "a1"])
        // Two of three workers for one client: with three seconds of waiting jobs, the next would start in 1 + 3 ÷ 2 seconds.
        for index in 2..<5 { try bench.add("a\(index)", of: "a", cost: 1_000) }
        #expect(bench.take() == nil && bench.wait(of: "a") == 2_500)
        #expect(throws: Schedule.Refusal.late(2_500_000_000)) { try bench.add("a5", of: "a") }
        #expect(bench.wait(of: "b") == 0)
        try bench.add("b", of: "b")
        #expect(bench.take() == "b")
    }

    @Test func `once the newest jobs have started first for the queue time, one whose turn is not soon is refused`()
        throws
    {
        let bench = ScheduleBench(workers: 1)
        for index in 0..<18 { try bench.add("a\(index)", of: "a", cost: 100) }
        // Of what a client sends for a moment, as much is accepted as can be made in time.
        #expect(bench.refusal(of: "a") == nil)
        for index in 18..<39 {
            #expect(bench.refusal(of: "a") == nil, "\(bench.now) ms")
            _ = bench.run(1) { _ in 100 }
            _ = bench.expire()
            try bench.add("a\(index)", of: "a", cost: 100)
        }
        // It has sent more than that for two seconds.
        #expect(bench.now == 2_100)
        let wait = bench.wait(of: "a")
        #expect(wait > 100 && wait < 2_000)
        #expect(bench.refusal(of: "a") == [wait, 100])
        // What is downloaded already is queued.
        #expect(try bench.add("downloaded", of: "a", cost: 100) == nil)
        #expect(bench.refusal(of: "b") == nil, "another client")
        while bench.wait(of: "a") > 100 {
            #expect(bench.refusal(of: "a") != nil)
            _ = bench.run(1) { _ in 100 }
            _ = bench.expire()
        }
        #expect(bench.refusal(of: "a") == nil)
        try bench.add("accepted", of: "a", cost: 100)
        // Although nothing waits any more, no more is accepted while requests are refused.
        _ = bench.run(100) { _ in 100 }
        for index in 50..<60 { try bench.add("a\(index)", of: "a", cost: 100) }
        let last = bench.now
        #expect(bench.refusal(of: "a") == [bench.wait(of: "a"), 100])
        while bench.now < last + 2_000 {
            try bench.add("later \(bench.now)", of: "a", cost: 100)
            _ = bench.run(1) { _ in 100 }
            _ = bench.expire()
        }
        #expect(bench.wait(of: "a") > 100 && bench.refusal(of: "a") == nil, "\(bench.now)")
    }

    @Test func `what is accepted and still being downloaded counts for clients that send more than can be made`() throws
    {
        let bench = ScheduleBench(workers: 1)
        for index in 0..<40 {
            _ = try? bench.add("a\(index)", of: "a", cost: 100)
            if index >= 18 {
                _ = bench.run(1) { _ in 100 }
                _ = bench.expire()
            }
        }
        #expect(bench.refusal(of: "a") != nil)
        _ = bench.run(100) { _ in 100 }
        // Nothing waits. A job takes about 100 ms, and nothing is known of downloads: two are accepted, and no third.
        let accepted = (0..<10).count { _ in bench.refusal(of: "a") == nil }
        #expect(accepted == 2)
        // They take 400 ms: so much may be on its way.
        bench.now += 400
        for name in ["one", "two"] { try bench.add(name, of: "a", cost: 100) }
        _ = bench.run(2) { _ in 100 }
        #expect(bench.schedule.admissions.download > 50_000_000)
        #expect(bench.refusal(of: "a") == nil && bench.refusal(of: "a") == nil && bench.refusal(of: "a") != nil)
        // Downloads that have failed are forgotten.
        bench.now += 1_999
        #expect(bench.refusal(of: "a") != nil)
        bench.now += 1
        #expect(bench.refusal(of: "a") == nil)
    }

    @Test func `accounts of which nothing was noted lately are forgotten when there are too many`() {
        var admissions = TransformAdmissions()
        for index in 0..<TransformAdmissions.capacity {
            admissions.noteRefusal(of: "\(index)", at: Int64(index), forgetting: 2_000)
        }
        admissions.noteRefusal(of: "more", at: 1_500, forgetting: 2_000)
        #expect(!admissions.hasRefused("more", within: 2_000, of: 1_500))
        #expect(admissions.hasRefused("0", within: 2_000, of: 1_500))
        admissions.noteRefusal(of: "more", at: 2_500, forgetting: 2_000)
        #expect(admissions.hasRefused("more", within: 2_000, of: 2_500))
        #expect(admissions.count == TransformAdmissions.capacity - 500)
        for _ in 0..<100 { admissions.noteAcceptance(of: "more", at: 2_500, forgetting: 2_000) }
        #expect(admissions.accepted("more", within: 2_000, of: 2_500) == TransformAdmissions.largestCount)
        #expect(admissions.accepted("more", within: 2_000, of: 4_500) == 0)
    }

    @Test func `the predicted wait is what a worker, shared fairly, takes for the jobs before`() throws {
        let bench = ScheduleBench(workers: 1)
        #expect(bench.wait(of: "a") == 0)
        for index in 0..<10 { try bench.add("a\(index)", of: "a", cost: 100) }
        #expect(bench.wait(of: "a") == 1_000)
        // Of a client that has not been charged more, one job is before the first of another.
        #expect(bench.wait(of: "b") == 100)
        _ = bench.take()
        bench.now = 40
        #expect(bench.wait(of: "a") == 960)
        // The first has been charged for the job that runs.
        #expect(bench.wait(of: "b") == 60)
    }

    @Test func `a running job is expected to take as long again once it is over its expected duration`() throws {
        let bench = ScheduleBench(workers: 1)
        try bench.add("a", of: "a", cost: 100, limit: 10_000)
        _ = bench.take()
        bench.now = 150
        #expect(bench.wait(of: "b") == 150)
        bench.now = 300
        // It can be ended for others after 400 ms.
        #expect(bench.wait(of: "b") == 100)
    }

    @Test func `work before a job fills the workers that are free first`() {
        #expect(Schedule.wait(for: 0, on: 3, after: [500, 200]) == 0)
        #expect(Schedule.wait(for: 100, on: 3, after: [500, 200]) == 100)
        #expect(Schedule.wait(for: 400, on: 3, after: [500, 200]) == 300)
        #expect(Schedule.wait(for: 0, on: 2, after: [500, 200]) == 200)
        #expect(Schedule.wait(for: 900, on: 2, after: [500, 200]) == 800)
        #expect(Schedule.wait(for: 5, on: 1, after: [7, 8]) == 12)
    }

    @Test func `work that no client waits for is not refused because of its wait, but bounded`() throws {
        let bench = ScheduleBench(workers: 1) { $0.waiting = 4 }
        for index in 0..<3 { try bench.add("a\(index)", of: "a", cost: 700) }
        #expect(throws: Schedule.Refusal.late(2_100_000_000)) { try bench.add("a3", of: "a") }
        try bench.add("refresh", of: nil, .low)
        for index in 0..<4 { try bench.add("prefetch\(index)", of: "a", .background) }
        #expect(throws: Schedule.Refusal.full) { try bench.add("prefetch4", of: "a", .background) }
        #expect(try bench.add("warm", of: nil, .background) == "prefetch0")
    }

    @Test func `in a full queue the client with the most jobs gives way, its least urgent and oldest first`() throws {
        let bench = ScheduleBench(workers: 1) { $0.waiting = 4 }
        try bench.add("a0", of: "a", .high, cost: 1)
        try bench.add("a1", of: "a", .normal, cost: 1)
        try bench.add("a2", of: "a", .low, cost: 1)
        try bench.add("a3", of: "a", .low, cost: 1)
        #expect(throws: Schedule.Refusal.full) { try bench.add("a4", of: "a", .high, cost: 1) }
        #expect(try bench.add("b0", of: "b", cost: 1) == "a2")
        #expect(try bench.add("c0", of: "c", cost: 1) == "a3")
        #expect(throws: Schedule.Refusal.full) { try bench.add("b1", of: "b", cost: 1) }
        #expect(bench.schedule.waiting == 4)
    }

    @Test func `a job that waited and would end after its deadline is too late, one that did not wait is not`() {
        let schedule = Schedule(Schedule.Limits(workers: 1))
        let (cost, now): (Int64, Int64) = (500_000_000, 10_000_000_000)
        #expect(schedule.isTooLate(waited: 200_000_000, cost: cost, deadline: now + cost, at: now))
        #expect(!schedule.isTooLate(waited: 200_000_000, cost: cost, deadline: now + cost + 1, at: now))
        #expect(!schedule.isTooLate(waited: 0, cost: cost, deadline: now + 1, at: now))
        #expect(schedule.isTooLate(waited: 0, cost: cost, deadline: now, at: now))
        #expect(!schedule.isTooLate(waited: .max, cost: .max, deadline: nil, at: now))
    }

    @Test func `a job that takes four times as long as expected is ended once while others wait and no worker is free`()
        throws
    {
        let bench = ScheduleBench(workers: 2)
        try bench.add("bomb", of: "a", cost: 100)
        #expect(bench.take() == "bomb")
        bench.now = 500
        #expect(bench.stops() == [])
        try bench.add("b1", of: "b", cost: 300)
        #expect(bench.stops() == [])
        #expect(bench.take() == "b1")
        #expect(bench.stops() == [])
        try bench.add("a2", of: "a", cost: 10)
        try bench.add("c", of: "c", cost: 10)
        #expect(bench.stops() == ["bomb"])
        #expect(bench.stops() == [])
        bench.putBack("bomb")
        #expect(bench.take() == "c")
        bench.end("c")
        try bench.add("a3", of: "a", cost: 10)
        // Last of those that waited when it was ended, and before later ones.
        #expect(bench.take() == "a2")
        bench.end("a2")
        #expect(bench.take() == "bomb")
        bench.now = 2_400
        try bench.add("d", of: "d", cost: 10)
        #expect(bench.stops() == ["b1"], "the second attempt runs to its limit")
    }

    @Test func `a job always has 250 ms`() throws {
        let bench = ScheduleBench(workers: 1)
        try bench.add("a", of: "a", cost: 1)
        _ = bench.take()
        try bench.add("b", of: "b", cost: 1)
        bench.now = 249
        #expect(bench.stops() == [])
        bench.now = 250
        #expect(bench.stops() == ["a"])
    }

    @Test func `a client pays for both attempts`() throws {
        let bench = ScheduleBench(workers: 1) { $0.queueTime = 1_000_000_000_000 }
        try bench.add("bomb", of: "a", cost: 1)
        _ = bench.take()
        for index in 0..<4 { try bench.add("b\(index)", of: "b", cost: 100) }
        bench.now = 300
        #expect(bench.stops() == ["bomb"])
        bench.putBack("bomb")
        #expect(bench.run(5) { _ in 100 } == ["b3", "b2", "b1", "bomb", "b0"])
    }

    @Test func `a useless job ends at once if another waits for its worker, and no more jobs than wait`() throws {
        let bench = ScheduleBench(workers: 2)
        for name in ["a", "b"] {
            try bench.add(name, of: name, cost: 5_000)
            #expect(bench.take() == name)
        }
        bench.abandon("a")
        bench.abandon("b")
        #expect(bench.stops() == [])
        try bench.add("c", of: "c", cost: 10)
        #expect(bench.stops().count == 1 && bench.stops() == [])
    }
}

/// What jobs are expected to take.
@Suite(.timeLimit(.minutes(1)))
struct JobEstimateTests {
    private let kind = CostKind(source: .svg, output: .png, bucket: .rest, steps: .light)

    private func job(_ plan: String, _ format: ImageFormat, _ width: Int, _ height: Int, frames: Int = 1) throws
        -> TransformJob
    {
        var job = try PoolBench.job(plan)
        job.header = ImageHeader(format: format, width: width, height: height)
        job.header.frames = frames
        return job
    }

    private func milliseconds(
        _ plan: String,
        _ format: ImageFormat = .jpeg,
        _ width: Int = 4_032,
        _ height: Int = 3_024
    ) throws
        -> Int64
    {
        JobEstimate(of: try job(plan, format, width, height)).nanoseconds / 1_000_000
    }

    @Test func `includes decoding, steps and encoding`() throws {
        // 64 ms and 260 ms measured (Benchmarks/README.md).
        #expect(20...120 ~= (try milliseconds("1?w=512&format=jpeg")))
        #expect(130...520 ~= (try milliseconds("1?format=jpeg&q=80")))
        #expect(try milliseconds("1?w=512&format=jpeg") < milliseconds("1?w=512&format=avif"))
        #expect(try milliseconds("1?w=512&format=jpeg", .png) > milliseconds("1?w=512&format=jpeg"))
        #expect(try milliseconds("1?w=64&format=png", .png, 64, 64) < 5)
    }

    @Test func `a job takes no longer than its limit, and outputs share a decode`() throws {
        var heavy = try job("1?sharpen=10&sharpen=10&format=png", .png, 9_000, 5_000)
        heavy.deadlineMilliseconds = 3_000
        #expect(JobEstimate(of: heavy).nanoseconds == 3_000_000_000)
        var two = try job("1?w=512&format=jpeg", .png, 4_032, 3_024)
        let one = JobEstimate(of: two).nanoseconds
        two.outputs.append(two.outputs[0])
        #expect(JobEstimate(of: two).nanoseconds < one * 3 / 2)
    }

    @Test func `all frames of an animation count`() throws {
        let still = JobEstimate(of: try job("1?w=320&format=webp", .gif, 640, 480)).nanoseconds
        let moving = JobEstimate(of: try job("1?w=320&format=webp", .gif, 640, 480, frames: 24)).nanoseconds
        #expect(moving > 10 * still)
    }

    @Test func `the daemon's own plans have estimates`() throws {
        for plan in [MetadataCleaner.planText, Placeholder.planText, Mezzanine(factor: 4).planText] {
            #expect(1...1_000 ~= (try milliseconds(plan)), "\(plan)")
        }
    }

    @Test func `learns the ratio of measured to estimated durations by kind`() {
        var correction = CostCorrection()
        let estimate = JobEstimate(nanoseconds: 10_000_000, kind: kind)
        #expect(correction.corrected(estimate) == 10_000_000)
        for _ in 0..<40 { correction.observe(30_000_000, estimate) }
        #expect(abs(correction.factor(of: kind) - 3) < 0.05)
        #expect(abs(correction.corrected(estimate) - 30_000_000) < 500_000)
        var other = kind
        other.output = .jpeg
        #expect(correction.factor(of: other) == 1)
        for _ in 0..<40 { correction.observe(10_000_000, estimate) }
        #expect(abs(correction.factor(of: kind) - 1) < 0.05)
    }

    @Test func `one measurement of many moves a factor little, and none beyond 8`() {
        var correction = CostCorrection()
        let estimate = JobEstimate(nanoseconds: 10_000_000, kind: kind)
        for _ in 0..<20 { correction.observe(10_000_000, estimate) }
        correction.observe(100_000_000_000, estimate)
        #expect(correction.factor(of: kind) < 1.4)
        for _ in 0..<500 { correction.observe(100_000_000_000, estimate) }
        #expect(correction.factor(of: kind) <= 8)
        for _ in 0..<500 { correction.observe(0, estimate) }
        #expect(correction.factor(of: kind) >= 0.125)
    }

    @Test func `a job that was ended early can only raise its factor`() {
        var correction = CostCorrection()
        let estimate = JobEstimate(nanoseconds: 100_000_000, kind: kind)
        correction.observe(50_000_000, estimate, isAtLeast: true)
        #expect(correction.factor(of: kind) == 1)
        correction.observe(400_000_000, estimate, isAtLeast: true)
        #expect(correction.factor(of: kind) > 1)
    }
}
