import HTTPCache
import ImagePipeline
import LinuxSystem
import Logging

/// The thread of the warmer: starts targets within the limits, stores their results and reports them.
final class WarmLoop {
    /// A running job.
    private struct Running {
        var report: WarmReport
        /// The next targets, read from the store in pages.
        var next: ArraySlice<JobStore.Item> = []
        /// The number of the last target that was read.
        var last = -1
        var isRead = false
        /// Targets in progress.
        var active = 0
        /// How often targets were put off, by number.
        var delays: [Int: Int] = [:]
    }

    /// Targets that are read at a time.
    private static let page = 256
    /// How often a target is put off, each time for a second, before it fails.
    private static let mostDelays = 30
    /// Nanoseconds for which the work pauses when the daemon is overloaded.
    private static let pause: Int64 = 1_000_000_000

    private let warmer: Warmer
    private var store: JobStore?
    private var running: [Running] = []
    private var runs: [Int: WarmRun] = [:]
    private var lastRun = 0
    private var streams: [WarmStream] = []
    /// The monotonic nanoseconds before which no target is started.
    private var nextStart = Int64.min

    /// Whether a failure to store has been logged.
    private var hasComplained = false

    private var parts: Warmer.Parts { warmer.parts }
    private var settings: Configuration.Warm { parts.live.current.warm }
    private var now: Int64 { parts.time.monotonic }

    init(_ warmer: Warmer) {
        self.warmer = warmer
    }

    /// Runs until the warmer is stopped.
    func run() {
        open()
        warmer.opened()
        startTargets()
        while let messages = warmer.messages(nanoseconds: timeout) {
            for message in messages { handle(message) }
            endJobs()
            startTargets()
            tellStreams()
        }
        for run in runs.values { run.subscription?.cancel() }
        for stream in streams { stream.close() }
    }

    private func open() {
        do throws(JobStore.Failure) {
            store = try JobStore(folder: parts.live.current.cache.path)
        } catch {
            parts.logger.warning("warm jobs will not survive a restart", metadata: ["error": "\(error)"])
            store = try? JobStore(folder: nil)
        }
        for job in attempt({ store throws(JobStore.Failure) in try store.jobs() }) ?? [] {
            var report = WarmReport(job: job)
            let failures = attempt { store throws(JobStore.Failure) in
                try store.failures(of: job.id, limit: WarmReport.mostFailures)
            }
            report.failures = (failures ?? []).map { WarmReport.Failure(target: $0.text, reason: $0.reason) }
            if job.state == .running {
                running.append(Running(report: report))
                parts.logger.notice(
                    "continuing a warm job",
                    metadata: ["job": "\(job.id)", "left": "\(job.total - job.finished)"]
                )
            }
            publish(report)
        }
    }

    /// Calls the store; logs the first of a series of failures, after which jobs continue without it.
    @discardableResult
    private func attempt<Result>(_ body: (JobStore) throws(JobStore.Failure) -> Result) -> Result? {
        guard let store else { return nil }
        do throws(JobStore.Failure) {
            let result = try body(store)
            hasComplained = false
            return result
        } catch {
            if !hasComplained { parts.logger.warning("cannot store a warm job", metadata: ["error": "\(error)"]) }
            hasComplained = true
            return nil
        }
    }

    /// Nanoseconds until there is something to do without a message.
    private var timeout: Int64? {
        var times: [Int64] = []
        if runs.count < settings.active, running.contains(where: { !$0.next.isEmpty || !$0.isRead }) {
            times.append(max(nextStart, now) - now)
        }
        let interval = Int64(settings.progress) * 1_000_000
        // At least one look per interval, to notice clients that have left.
        for stream in streams { times.append(stream.isDue ? stream.sentAt &+ interval - now : interval) }
        return times.min().map { max(1_000_000, $0) }
    }

    private func handle(_ message: Warmer.Message) {
        switch message {
        case .add(let targets, let complete): add(targets, complete)
        case .cancel(let id, let complete): complete(cancel(id))
        case .watch(let id, let file):
            let stream = WarmStream(job: id, file: file)
            guard let report = warmer.report(id) else { return stream.close() }
            stream.send(report, at: now)
            if report.job.state == .running { streams.append(stream) }
        case .ended(let number, let result): ended(number, result)
        }
    }
}

/// Jobs.
extension WarmLoop {
    private func add(_ targets: [String], _ complete: (Result<JobStore.Job, Problem>) -> Void) {
        let reports = warmer.reports
        if reports.count >= settings.jobs {
            guard let oldest = reports.last(where: { $0.job.state != .running }) else {
                return complete(.failure(Problem(503, "Too many warm jobs are running (warm.jobs).", retryAfter: 60)))
            }
            attempt { store throws(JobStore.Failure) in try store.remove(oldest.job.id) }
            warmer.publish(oldest.job.id, nil)
        }
        let wall = parts.time.wallSeconds
        let added = attempt { store throws(JobStore.Failure) in try store.add(targets, at: wall) }
        guard let job = added else {
            return complete(.failure(Problem(503, "The job cannot be stored: see the log.", retryAfter: 60)))
        }
        let report = WarmReport(job: job)
        running.append(Running(report: report))
        publish(report)
        parts.logger.notice("warm job accepted", metadata: ["job": "\(job.id)", "targets": "\(job.total)"])
        complete(.success(job))
    }

    /// Cancels a job, or returns the report of one that has ended.
    private func cancel(_ id: Int64) -> WarmReport? {
        guard let index = running.firstIndex(where: { $0.report.job.id == id }) else { return warmer.report(id) }
        for (number, run) in runs where run.job == id {
            run.subscription?.cancel()
            runs[number] = nil
        }
        end(index, .cancelled)
        return warmer.report(id)
    }

    /// Ends the jobs of which nothing is left and nothing in progress.
    private func endJobs() {
        for index in running.indices.reversed()
        where running[index].next.isEmpty && running[index].isRead && running[index].active == 0 {
            let job = running[index].report.job
            // Less than all if a page could not be read.
            end(index, job.finished < job.total ? .cancelled : .done)
        }
    }

    private func end(_ index: Int, _ state: JobStore.JobState) {
        var report = running.remove(at: index).report
        report.job.state = state
        report.job.ended = parts.time.wallSeconds
        let job = report.job
        attempt { store throws(JobStore.Failure) in try store.end(job) }
        publish(report)
        parts.logger.notice(
            state == .cancelled ? "warm job cancelled" : "warm job done",
            metadata: [
                "job": "\(job.id)", "total": "\(job.total)", "done": "\(job.done)", "skipped": "\(job.skipped)",
                "failed": "\(job.failed)",
            ]
        )
    }

    private func publish(_ report: WarmReport) {
        warmer.publish(report.job.id, report)
        for stream in streams where stream.job == report.job.id { stream.isDue = true }
        warmer.metrics.set(
            running: running.count,
            waiting: running.reduce(0) { $0 + $1.report.job.total - $1.report.job.finished }
        )
    }

    private func tellStreams() {
        let interval = Int64(settings.progress) * 1_000_000
        streams.removeAll { stream in
            guard let report = warmer.report(stream.job), !stream.isAbandoned else {
                stream.close()
                return true
            }
            let isLast = report.job.state != .running
            if stream.isDue, isLast || now - stream.sentAt >= interval { stream.send(report, at: now) }
            return isLast
        }
    }
}

/// Targets.
extension WarmLoop {
    /// Starts targets, of each running job in turn, until a limit is reached.
    ///
    /// At most a page, so that targets that fail at once do not keep messages waiting.
    private func startTargets() {
        for _ in 0..<Self.page {
            guard runs.count < settings.active, now >= nextStart, let index = readyJob() else { return }
            let item = running[index].next.removeFirst()
            // Jobs take turns.
            let job = running.remove(at: index)
            running.append(job)
            start(item, of: running.count - 1)
            if settings.rate > 0 { nextStart = max(now, nextStart) + 1_000_000_000 / Int64(settings.rate) }
        }
    }

    /// The first job with a target to start.
    private func readyJob() -> Int? {
        for index in running.indices {
            if running[index].next.isEmpty, !running[index].isRead { read(index) }
            if !running[index].next.isEmpty { return index }
        }
        endJobs()
        return nil
    }

    private func read(_ index: Int) {
        let (id, last) = (running[index].report.job.id, running[index].last)
        let items = attempt { store throws(JobStore.Failure) in
            try store.open(id, after: last, limit: Self.page)
        }
        running[index].next = (items ?? [])[...]
        running[index].last = items?.last?.number ?? last
        // A page that cannot be read ends the job: its targets are unknown.
        running[index].isRead = (items?.count ?? 0) < Self.page
    }

    private func start(_ item: JobStore.Item, of index: Int) {
        let job = running[index].report.job.id
        let variants: [VariantRequest]
        do throws(Problem) {
            let place = try WarmTarget(item.text).place(in: parts.resolver.table)
            let (resolver, target) = (place.site.resolver.withoutPermission, Array(place.target.utf8))
            guard resolver.rawRule(of: target) == nil else {
                throw Problem(400, "Raw sources are not warmed.")
            }
            variants = try resolver.resolve(target).commonVariants(limit: parts.pipeline.bucket)
        } catch {
            return finish(item, of: index, .failed, reason: "\(error.detail) (\(error.status))")
        }
        attempt { store throws(JobStore.Failure) in try store.set(.started, of: item.number, in: job) }
        running[index].active += 1
        lastRun += 1
        let delays = running[index].delays.removeValue(forKey: item.number) ?? 0
        runs[lastRun] = WarmRun(item, of: job, variants, delays: delays)
        startVariant(of: lastRun)
    }

    private func startVariant(of number: Int) {
        guard let variant = runs[number]?.variants.popLast() else { return }
        runs[number]?.subscription = parts.pipeline.warm(variant) { [warmer] result in
            warmer.send(.ended(run: number, result))
        }
    }

    private func ended(_ number: Int, _ result: Result<Warming, PipelineError>) {
        // The job may have been cancelled meanwhile.
        guard let run = runs[number], let index = running.firstIndex(where: { $0.report.job.id == run.job }) else {
            return
        }
        switch result {
        case .success(.unstored):
            runs[number] = nil
            running[index].active -= 1
            let reason = "The response may not be stored, or there is no room for it."
            finish(run.item, of: index, .failed, reason: reason)
        case .success(let warming):
            if warming == .made { runs[number]?.hasMade = true }
            guard run.variants.isEmpty else { return startVariant(of: number) }
            let hasMade = runs.removeValue(forKey: number)?.hasMade ?? false
            running[index].active -= 1
            finish(run.item, of: index, hasMade ? .done : .skipped)
        case .failure(let error):
            runs[number] = nil
            running[index].active -= 1
            if error.bare.isOverload, run.delays < Self.mostDelays { return putOff(run, of: index) }
            let problem = Problem(error)
            finish(run.item, of: index, .failed, reason: "\(problem.detail) (\(problem.status))")
        }
    }

    /// Puts a target back to the front of its job, and pauses all work.
    private func putOff(_ run: WarmRun, of index: Int) {
        var item = run.item
        item.wasStarted = run.hasMade
        running[index].next = [item] + running[index].next
        running[index].delays[item.number] = run.delays + 1
        nextStart = max(nextStart, now + Self.pause)
    }

    private func finish(
        _ item: JobStore.Item,
        of index: Int,
        _ result: WarmResult,
        reason: String? = nil
    ) {
        let job = running[index].report.job.id
        let state: JobStore.ItemState
        switch result {
        case .done:
            state = .done
            running[index].report.job.done += 1
        case .skipped:
            state = .skipped
            running[index].report.job.skipped += 1
        case .failed:
            state = .failed
            running[index].report.job.failed += 1
            if let reason, running[index].report.failures.count < WarmReport.mostFailures {
                running[index].report.failures.append(WarmReport.Failure(target: item.text, reason: reason))
            }
        }
        attempt { store throws(JobStore.Failure) in try store.set(state, of: item.number, in: job, reason: reason) }
        warmer.metrics.targets.add(1, result)
        publish(running[index].report)
    }
}

extension PipelineError {
    /// Whether the daemon had no room for the work, so that it may succeed later.
    fileprivate var isOverload: Bool {
        switch self {
        case .overloaded, .workerLost, .noWorker: true
        default: false
        }
    }
}
