import Glibc
import ImagePlan
import LinuxSystem

extension WorkerDriver {
    /// A job on its way through workers, which may take two.
    final class Attempt {
        let pending: PendingTransform
        let number: Int
        /// The next attempt, where this one lost its worker through no fault of the picture.
        private(set) var next: Attempt?

        init(pending: PendingTransform, number: Int = 1) {
            self.pending = pending
            self.number = number
        }

        /// Tries once more, or gives up.
        func lose() {
            if number == 1, !pending.isAbandoned {
                next = Attempt(pending: pending, number: 2)
            } else {
                pending.end(.failure(.workerLost))
            }
        }
    }

    /// Runs one job; its completion is called unless another attempt follows.
    ///
    /// - Returns: whether the worker may serve on.
    func runJob(_ attempt: Attempt, on worker: WorkerProcess, _ age: inout WorkerAge) -> Bool {
        let pending = attempt.pending
        guard pending.begin(wake) else { return true }
        let start = shared.time.monotonic
        note { statistics, index in
            statistics.workers[index].isBusy = true
            if attempt.number > 1 { statistics.retries += 1 }
        }
        defer {
            age.busy += shared.time.monotonic - start
            note { statistics, index in statistics.workers[index].isBusy = false }
        }
        guard worker.send(pending.message, descriptors: pending.job.sources.map(\.number)) else {
            finishGone(attempt, worker)
            return false
        }
        let allowed = Int64(pending.job.deadlineMilliseconds) + Int64(shared.configuration.deadlineGrace)
        var limit = start + allowed * 1_000_000
        while true {
            switch worker.receive(until: limit, wake: wake, time: shared.time) {
            case .message(let bytes, let descriptors):
                return finish(attempt, bytes, descriptors, start: start, &age)
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
                if pending.isAbandoned {
                    let grace = Int64(shared.configuration.abandonGrace) * 1_000_000
                    limit = min(limit, shared.time.monotonic + grace)
                }
            }
        }
    }

    /// Ends a job with its worker's message.
    ///
    /// - Returns: `false` when the message is no honest answer to this job; the worker counts as hostile then.
    private func finish(
        _ attempt: Attempt,
        _ bytes: [UInt8],
        _ descriptors: [SharedDescriptor],
        start: Int64,
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
        case .failure(let failure):
            count(&age)
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

    /// Counts an honest answer, before anybody hears of it.
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

    /// The worker has ended by itself, or was ended from outside.
    private func finishGone(_ attempt: Attempt, _ worker: WorkerProcess) {
        switch worker.endAfterHangUp() {
        case .lost:
            attempt.lose()
        case .crashed(signal: SIGBUS) where attempt.pending.job.isCutShort:
            // Not the picture's fault, nor that of what it is made with: nothing is remembered of it.
            attempt.pending.end(.failure(.workerLost))
        case .crashed:
            note { statistics, _ in statistics.deadly += 1 }
            attempt.pending.end(.failure(.deadly))
        }
    }

    /// The deadline and its grace are over: the worker does not stop by itself.
    private func finishLate(_ attempt: Attempt, _ worker: WorkerProcess) {
        worker.end()
        guard !attempt.pending.isAbandoned else { return }
        note { statistics, _ in statistics.timeouts += 1 }
        attempt.pending.end(.failure(.transformTimeout))
    }
}

extension TransformJob {
    /// Whether one of its sources has become shorter than it was: a file of a `file:` source may be written to at any time.
    fileprivate var isCutShort: Bool {
        let files = [(source, message.sourceLength)] + ingredients.map { ($0.source, $0.description.length) }
        return files.contains { file, length in
            var status = stat()
            return unsafe fstat(file.number, &status) != 0 || status.st_size < length
        }
    }
}

extension PipelineError {
    /// The pipeline's word for a worker's.
    fileprivate init(_ failure: WorkerReply.Failure) {
        switch failure {
        case .unsupported(let text): self = .notAnImage(text)
        case .broken(let text, let name): self = .broken(text, parameter: name)
        case .refused(let text, let name): self = .refused(text, parameter: name)
        case .deadline: self = .transformTimeout
        case .worker: self = .workerLost
        }
    }
}
