import HTTPSemantics
import LinuxSystem

@testable import ImagePipeline

/// A schedule of named jobs with a clock that is set by hand; times are in milliseconds.
final class ScheduleBench {
    typealias Schedule = TransformSchedule<String>

    var schedule: Schedule
    var now: Int64 = 0
    private var ids: [String: UInt64] = [:]

    init(workers: Int, _ accounts: ClientAccounts? = nil, _ change: (inout Schedule.Limits) -> Void = { _ in }) {
        var limits = Schedule.Limits(workers: workers)
        change(&limits)
        schedule = Schedule(limits, table: accounts)
    }

    private var time: Int64 { now * 1_000_000 }

    /// Queues a job; `nil` for no displaced one.
    @discardableResult
    func add(
        _ name: String,
        of account: String?,
        _ priority: RequestPriority = .normal,
        cost: Int64 = 10,
        limit: Int64 = 10_000,
        bytes: Int = 0
    ) throws(Schedule.Refusal) -> String? {
        ids[name] = UInt64(ids.count)
        let job = Schedule.Job(
            id: ids[name] ?? 0,
            account: account,
            priority: priority,
            cost: cost * 1_000_000,
            limit: limit * 1_000_000,
            bytes: bytes,
            item: name
        )
        return try schedule.append(job, at: time)?.item
    }

    /// Queues a job of 100 ms for several clients.
    func add(_ name: String, for claims: [Claim]) throws(Schedule.Refusal) {
        ids[name] = UInt64(ids.count)
        let job = Schedule.Job(id: ids[name] ?? 0, account: nil, cost: 100_000_000, item: name)
        _ = try schedule.append(job, for: claims, at: time)
    }

    /// The accounts among whose jobs one waits.
    func accounts(of name: String) -> [String?]? { schedule.places[ids[name] ?? 0]?.accounts }

    func take() -> String? { schedule.take(at: time)?.item }

    func takeBehind() -> String? { schedule.takeBehind(ready: schedule.limits.workers, at: time)?.item }

    func end(_ name: String) { schedule.settle(ids[name] ?? 0, at: time) }

    func stops() -> [String] { schedule.stops(at: time).map(\.job.item) }

    func expire() -> [String] { schedule.expire(at: time).map(\.item) }

    func abandon(_ name: String) { schedule.abandon(ids[name] ?? 0, at: now * 1_000_000) }

    func remove(_ name: String) -> Bool { schedule.remove(ids[name] ?? 0, at: time) }

    /// Says which clients wait for a job, and how urgently.
    @discardableResult
    func update(_ name: String, for claims: [Claim]) -> Bool { schedule.update(ids[name] ?? 0, for: claims, at: time) }

    /// Ends a running job for others and queues it again.
    func putBack(_ name: String) {
        guard let job = schedule.runs[ids[name] ?? 0]?.job else { return }
        end(name)
        schedule.putBack(job, at: time)
    }

    /// Milliseconds.
    func wait(of account: String?) -> Int64 { schedule.predictedWait(for: account, at: time) / 1_000_000 }

    /// The predicted wait of a new job that is refused before its download, and its limit, in milliseconds.
    func refusal(of account: String?) -> [Int64]? {
        schedule.refusal(of: account, at: time).map { [$0.wait / 1_000_000, $0.limit / 1_000_000] }
    }

    /// Runs jobs one after another on a single worker, each for a time, and returns their order.
    func run(_ count: Int, taking duration: (String) -> Int64) -> [String] {
        var order: [String] = []
        for _ in 0..<count {
            guard let name = take() else { break }
            order.append(name)
            now += duration(name)
            end(name)
        }
        return order
    }
}
