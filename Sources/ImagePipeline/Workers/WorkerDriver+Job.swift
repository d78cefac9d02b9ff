import Glibc
import HTTPCache
import ImagePlan
import LinuxSystem

extension WorkerDriver {
    /// One attempt to run a job; a job gets at most two.
    final class Attempt {
        let pending: PendingTransform
        let number: Int
        /// The next attempt, if this one lost its worker and the image is not at fault.
        private(set) var next: Attempt?

        init(pending: PendingTransform, number: Int = 1) {
            self.pending = pending
            self.number = number
        }

        /// Schedules the second attempt, or fails the job.
        func lose() {
            if number == 1, !pending.isAbandoned {
                next = Attempt(pending: pending, number: 2)
            } else {
                pending.end(.failure(.workerLost))
            }
        }
    }

    /// Runs one job, and its completion unless another attempt follows.
    ///
    /// - Returns: whether the worker may run further jobs.
    func runJob(_ attempt: Attempt, on worker: WorkerProcess, _ age: inout WorkerAge) -> Bool {
        let pending = attempt.pending
        guard pending.begin(wake) else { return true }
        let start = shared.time.monotonic
        guard !shared.queue.isTooLate(pending, at: start) else {
            pending.end(.failure(.workerWaitTooLong))
            return true
        }
        note { statistics, index in
            statistics.workers[index].isBusy = true
            if attempt.number > 1 { statistics.retries += 1 }
        }
        shared.lanes.withLock { $0[index].begin(pending.job.title, at: start) }
        defer {
            let end = shared.time.monotonic
            age.busy += end - start
            shared.lanes.withLock { $0[index].end(at: end) }
            note { statistics, index in statistics.workers[index].isBusy = false }
        }
        age.exposure = .domain(pending.job.domain)
        let niceness: WorkerNiceness =
            pending.hasOverrun || pending.isExtra && WorkerNiceness.isReversible ? .low : .usual
        if niceness != age.niceness {
            worker.setNiceness(niceness)
            age.niceness = niceness
        }
        guard worker.send(pending.message, descriptors: pending.job.sources.map(\.number)) else {
            finishGone(attempt, worker)
            return false
        }
        let allowed = Int64(pending.job.deadlineMilliseconds) + Int64(shared.configuration.deadlineGrace)
        var limit = start + allowed * 1_000_000
        var isCancelled = false
        while true {
            switch worker.receive(until: limit, wake: wake, time: shared.time) {
            case .message(let bytes, let descriptors):
                return finish(attempt, bytes, descriptors, start: start, isCancelled: isCancelled, &age)
            case .hungUp:
                finishGone(attempt, worker)
                return false
            case .late:
                finishLate(attempt, worker)
                return false
            case .woken:
                if isStopping {
                    pending.end(.failure(.cancelled))
                    return false
                }
                let isStopRequested = pending.isStopRequested
                guard isStopRequested || pending.isAbandoned else { continue }
                if !isCancelled { isCancelled = worker.send(WorkerMessage.cancellation, descriptors: []) }
                let configuration = shared.configuration
                let grace = isStopRequested ? configuration.stopGrace : configuration.abandonGrace
                limit = min(limit, shared.time.monotonic + Int64(grace) * 1_000_000)
            }
        }
    }

    /// Ends a job with its worker's message.
    ///
    /// - Returns: `false` if the worker must be replaced: it failed, or its message is not a valid reply to this job.
    private func finish(
        _ attempt: Attempt,
        _ bytes: [UInt8],
        _ descriptors: [SharedDescriptor],
        start: Int64,
        isCancelled: Bool,
        _ age: inout WorkerAge
    ) -> Bool {
        guard let message = try? WorkerReplyMessage(decoding: bytes, descriptors: descriptors.count),
            message.reply.id == attempt.pending.id
        else {
            return violation(attempt)
        }
        switch message.reply.result {
        case .failure(.worker):
            attempt.lose()
            return false
        case .failure(.cancelled):
            guard isCancelled else { return violation(attempt) }
            // The release of the job queues it again, unless its result is useless.
            _ = attempt.pending.setBack()
            return true
        case .failure(let failure):
            count(&age)
            if failure.isDecoderError { age.hasRejected = true }
            attempt.pending.end(.failure(PipelineError(failure)))
            return true
        case .success(let outputs):
            guard outputs.count == attempt.pending.job.outputs.count,
                let pictures = try? message.pictures(
                    outputs,
                    message: bytes,
                    descriptors: descriptors,
                    limit: shared.configuration.outputLimit
                )
            else {
                return violation(attempt)
            }
            count(&age)
            let queued = UInt32(clamping: (start - attempt.pending.arrival) / 1_000)
            let result = TransformResult(pictures: pictures, timing: message.reply.timing, queued: queued)
            attempt.pending.end(.success(result))
            return true
        }
    }

    /// Counts a valid reply, before the completion runs.
    private func count(_ age: inout WorkerAge) {
        age.jobs += 1
        let jobs = age.jobs
        note { statistics, index in
            statistics.jobs += 1
            statistics.workers[index].jobs = jobs
        }
    }

    private func violation(_ attempt: Attempt) -> Bool {
        note { statistics, _ in statistics.violations += 1 }
        attempt.lose()
        return false
    }

    /// Ends a job whose worker process ended by itself or was killed from outside.
    private func finishGone(_ attempt: Attempt, _ worker: WorkerProcess) {
        switch worker.endAfterHangUp() {
        case .lost:
            attempt.lose()
        case .crashed(signal: SIGBUS) where attempt.pending.job.isCutShort:
            // A truncated file faults when its mapping is read. The image is not at fault, so the failure must not be cached.
            attempt.pending.end(.failure(.workerLost))
        case .crashed(signal: SIGSYS) where isCallAllowedSince(worker):
            attempt.lose()
        case .crashed(let signal):
            note { statistics, _ in
                statistics.decoderCrashes += 1
                if signal == SIGSYS { statistics.filterKills += 1 }
            }
            attempt.pending.end(.failure(.crashedDecoder))
        }
    }

    /// Waits for the first canary, unless it has ended; returns whether one has found calls that the worker was not allowed to make.
    private func isCallAllowedSince(_ worker: WorkerProcess) -> Bool {
        while !isStopping, !shared.verdict.wait(orFor: wake) {}
        return shared.isOutdated(worker)
    }

    /// Kills a worker that still runs after the deadline or the cancellation, and the grace.
    private func finishLate(_ attempt: Attempt, _ worker: WorkerProcess) {
        worker.end()
        if attempt.pending.isStopRequested { _ = attempt.pending.setBack() }
        guard !attempt.pending.isAbandoned, !attempt.pending.isSetBack else { return }
        note { statistics, _ in statistics.timeouts += 1 }
        attempt.pending.end(.failure(.transformTimeout))
    }
}

extension TransformJob {
    /// Whether one of the sources is shorter than stated: a file of a `file:` source may change at any time.
    fileprivate var isCutShort: Bool {
        let files = [(source, message.sourceLength)] + auxiliaries.map { ($0.source, $0.description.length) }
        return files.contains { file, length in
            var status = stat()
            return unsafe fstat(file.number, &status) != 0 || status.st_size < length
        }
    }
}

extension PipelineError {
    /// Creates the pipeline's error for a worker's failure.
    fileprivate init(_ failure: WorkerReply.Failure) {
        switch failure {
        case .unsupported(let text): self = .notAnImage(text)
        case .broken(let text, let name): self = .broken(text, parameter: name)
        case .refused(let text, let name): self = .refused(text, parameter: name)
        case .deadline: self = .transformTimeout
        case .worker: self = .workerLost
        case .cancelled: self = .cancelled
        }
    }
}
