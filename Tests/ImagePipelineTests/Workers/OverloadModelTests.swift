import HTTPSemantics
import Testing

@testable import ImagePipeline

/// Loads above the capacity, on the schedule alone: simulated clients, downloads and workers with a clock of their own.
@Suite(.timeLimit(.minutes(1)))
struct OverloadModelTests {
    private typealias Schedule = TransformSchedule<Int64>

    /// What happened to the requests of a load, once it has lasted for a while.
    private struct Outcome {
        /// Images that were ready within two seconds, and others.
        var good = 0
        var late = 0
        /// Requests that were refused without a download.
        var refused = 0
        /// Jobs that were refused or dropped after their download.
        var wasted = 0
    }

    private static let (workers, clients, duration) = (3, 8, Int64(50))
    /// Seconds that are simulated, and those of them that count.
    private static let (seconds, counted) = (Int64(12), Int64(6))

    /// Simulates a load in steps of a millisecond.
    ///
    /// - Parameters:
    ///   - times: multiples of what the workers can make.
    ///   - download: milliseconds.
    private func load(times: Int, download: Int64) -> Outcome {
        let unit: Int64 = 1_000_000
        var schedule = Schedule(Schedule.Limits(workers: Self.workers))
        var (outcome, id, noise, due) = (Outcome(), UInt64(0), UInt64(7), 0.0)
        var downloads: [(end: Int64, account: String, start: Int64)] = []
        var runs: [(end: Int64, id: UInt64, start: Int64)] = []
        func random(_ bound: Int) -> Int {
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(noise >> 33) % bound
        }
        for now in 0..<Self.seconds * 1_000 {
            if now == (Self.seconds - Self.counted) * 1_000 { outcome = Outcome() }
            due += Double(times * Self.workers) / Double(Self.duration)
            while due >= 1 {
                due -= 1
                let account = "\(random(Self.clients))"
                if schedule.refusal(of: account, at: now * unit) == nil {
                    downloads.append((now + download, account, now))
                } else {
                    outcome.refused += 1
                }
            }
            for ended in downloads where ended.end <= now {
                id += 1
                let job = Schedule.Job(id: id, account: ended.account, cost: Self.duration * unit, item: ended.start)
                do throws(Schedule.Refusal) {
                    if try schedule.append(job, at: now * unit) != nil { outcome.wasted += 1 }
                } catch {
                    outcome.wasted += 1
                }
            }
            downloads.removeAll { $0.end <= now }
            for run in runs where run.end <= now {
                schedule.settle(run.id, at: now * unit)
                if now - run.start <= 2_000 { outcome.good += 1 } else { outcome.late += 1 }
            }
            runs.removeAll { $0.end <= now }
            while runs.count < Self.workers, let job = schedule.take(at: now * unit) {
                runs.append((now + Self.duration, job.id, job.item))
            }
            if now % 25 == 0 { outcome.wasted += schedule.expire(at: now * unit).count }
        }
        return outcome
    }

    @Test(arguments: [2, 4, 10], [Int64(5), 300])
    func `above the capacity, workers make images that are in time, and few originals are downloaded in vain`(
        times: Int,
        download: Int64
    ) {
        let outcome = load(times: times, download: download)
        let capacity = Int(Self.counted * 1_000 / Self.duration) * Self.workers
        #expect(outcome.good * 100 >= capacity * 95, "\(outcome) of \(capacity)")
        #expect(outcome.wasted * 100 <= capacity * 5, "\(outcome) of \(capacity)")
        #expect(outcome.refused > capacity * (times - 1) * 9 / 10, "\(outcome) of \(capacity)")
    }
}
