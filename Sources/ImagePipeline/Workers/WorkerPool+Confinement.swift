package import ImagePlan
import LinuxSystem
import Synchronization

extension WorkerPool {
    /// What the confinements of all workers have in common; `nil` before the first greeting; any thread.
    package var posture: WorkerPosture? { shared.confinement.withLock { $0.common } }

    /// What the pool knows about the confinement of its workers.
    struct Confinement {
        /// The confinement of each slot's last worker.
        private(set) var postures: [WorkerPosture?]
        /// Numbers of system calls that canaries have found.
        private(set) var calls: [UInt32] = []
        /// Whether the pool may be ready: with `require` once a canary has passed, otherwise unless one has failed.
        var isTrusted: Bool

        init(workers: Int, _ mode: SandboxMode) {
            postures = Array(repeating: nil, count: workers)
            isTrusted = mode != .require
        }

        /// What all workers have in common.
        var common: WorkerPosture? {
            let known = postures.compactMap(\.self)
            return known.dropFirst().reduce(known.first) { result, posture in result?.weakest(with: posture) }
        }

        /// Adds calls that a canary has found.
        ///
        /// - Returns: whether one of them is new, so that another canary must run.
        mutating func add(_ found: [UInt32]) -> Bool {
            var isNew = false
            for call in found where !calls.contains(call) && calls.count < WorkerPosture.maximumCalls {
                calls.append(call)
                isNew = true
            }
            return isNew
        }

        /// Records a greeting.
        ///
        /// - Returns: what all workers have in common, if that has changed.
        mutating func greet(_ index: Int, _ posture: WorkerPosture) -> WorkerPosture? {
            let before = common
            postures[index] = posture
            let after = common
            return after == before ? nil : after
        }
    }
}

extension WorkerPool.Shared {
    /// Starts a worker, which may make the calls that canaries have found, as far as they do not lead out of the confinement.
    func spawn(isCanary: Bool) throws(Errno) -> WorkerProcess {
        let calls = confinement.withLock { $0.calls }
        let arguments = SandboxOptions(configuration.sandbox, isCanary: isCanary, calls: calls).arguments
        return try WorkerProcess(path: workerPath, arguments: arguments, calls: calls, configuration: configuration)
    }

    /// Whether a canary has found further calls since a worker was started.
    func isOutdated(_ worker: WorkerProcess) -> Bool { confinement.withLock { $0.calls != worker.calls } }

    /// Checks a greeting against the mode.
    ///
    /// - Throws: `WorkerStartFailure` if `require` demands more.
    func check(_ posture: WorkerPosture) throws(WorkerStartFailure) {
        guard configuration.sandbox == .require else { return }
        let missing = posture.missingRequirements
        guard missing.isEmpty else {
            throw .unconfined(missing.map(posture.text))
        }
        guard posture.calls.isEmpty else { throw .needsCalls(posture.calls.map(\.name)) }
    }

    /// Records the confinement of a worker that serves, and what it can encode.
    func note(_ greeting: WorkerGreeting, of index: Int) {
        encodedFormats.store(UInt32(truncatingIfNeeded: greeting.encodedMask), ordering: .relaxed)
        let common = confinement.withLock { $0.greet(index, greeting.posture) }
        if let common { configuration.postureChanged?(common) }
    }
}

extension WorkerPosture {
    /// The layer's name, with the kernel's reason if it was refused: `landlock (Function not implemented)`.
    package func text(of layer: Layer) -> String {
        refusal(of: layer).map { "\(layer.name) (\(Errno.text(of: CInt($0))))" } ?? layer.name
    }
}
