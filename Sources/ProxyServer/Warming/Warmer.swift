import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import Logging

/// Runs jobs that fill the cache ahead of requests, on a thread of its own (SDWebImage: `SDWebImagePrefetcher`).
///
/// A job is a list of request targets in a database of the cache folder, so that it continues after a restart. Its targets go
/// through the pipeline after everything that a client waits for. Any thread; callbacks run on the warmer's thread.
final class Warmer: Sendable {
    /// What a job needs of the daemon.
    struct Parts: Sendable {
        let pipeline: Pipeline
        let resolver: ResolverCell
        let live: LiveConfiguration
        let time: any TimeSource
        let logger: Logger
    }

    /// A message to the warmer's thread.
    enum Message: Sendable {
        case add([String], @Sendable (Result<JobStore.Job, Problem>) -> Void)
        case cancel(Int64, @Sendable (WarmReport?) -> Void)
        case watch(Int64, GrowingFile)
        /// The end of one variant of a target in progress.
        case ended(run: Int, Result<Warming, PipelineError>)
    }

    private struct State: Sendable {
        var messages: [Message] = []
        var isStopping = false
        var hasEnded = true
        /// Whether the jobs of the cache folder are known.
        var isOpen = false
    }

    let parts: Parts
    let metrics = WarmMetrics()
    private let state = Monitor(State())
    /// The reports of all jobs, by id.
    private let board = Lock<[Int64: WarmReport]>([:])

    /// Creates a warmer; `start` starts it.
    init(_ parts: Parts) {
        self.parts = parts
    }

    /// Opens the jobs of the cache folder, and continues those that were running; blocks until they are known.
    ///
    /// - Throws: `Errno` if no thread can be created.
    func start() throws(Errno) {
        state.withLock { $0.hasEnded = false }
        do throws(Errno) {
            try SystemThread.start(name: "warmer") { [self] in
                WarmLoop(self).run()
                state.update(wakingAll: true) { $0.hasEnded = true }
            }
        } catch {
            state.withLock { $0.hasEnded = true }
            throw error
        }
        _ = state.wait { $0.isOpen ? true : nil }
    }

    /// Tells that all jobs are published; on the warmer's thread.
    func opened() { state.update(wakingAll: true) { $0.isOpen = true } }

    /// Abandons the targets in progress, which a later start begins again, and waits until the thread has ended; blocks.
    func stop() {
        state.update(wakingAll: true) { $0.isStopping = true }
        _ = state.wait { $0.hasEnded ? true : nil }
        let rest = state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
        for message in rest { refuse(message) }
    }

    /// Sends a message to the thread; refuses it if the thread does not run.
    func send(_ message: Message) {
        let isTaken = state.update { state in
            guard !state.hasEnded, !state.isStopping else { return false }
            state.messages.append(message)
            return true
        }
        if !isTaken { refuse(message) }
    }

    private func refuse(_ message: Message) {
        switch message {
        case .add(_, let complete):
            complete(.failure(Problem(503, "Warm jobs cannot run now; see the log.", retryAfter: 60)))
        case .cancel(let id, let complete): complete(report(id))
        case .watch(_, let file): file.end(.complete)
        case .ended: break
        }
    }

    /// The reports of all jobs, the newest first.
    var reports: [WarmReport] { board.withLock { $0.values.sorted { $0.job.id > $1.job.id } } }

    /// The report of a job, or `nil` if there is none with this id.
    func report(_ id: Int64) -> WarmReport? { board.withLock { $0[id] } }

    /// Publishes a report, or removes it; on the warmer's thread.
    func publish(_ id: Int64, _ report: WarmReport?) { board.withLock { $0[id] = report } }

    /// Waits for messages; on the warmer's thread.
    ///
    /// - Returns: the messages; empty after a timeout, `nil` when the thread has to end.
    func messages(nanoseconds: Int64?) -> [Message]? {
        let found = state.wait(nanoseconds: nanoseconds) { state -> [Message]?? in
            if state.isStopping { return .some(nil) }
            guard !state.messages.isEmpty else { return nil }
            defer { state.messages = [] }
            return state.messages
        }
        return found ?? []
    }
}
