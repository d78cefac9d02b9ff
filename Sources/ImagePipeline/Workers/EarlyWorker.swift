import ImagePlan
import LinuxSystem
import Synchronization

/// What an early worker runs: plain resizes between the formats that libvips reads and writes without a module.
///
/// Most of a locked worker's start is spent on libraries of other formats and on fonts. The pool's first process can do without: it
/// locks itself before it has loaded them, and serves until another one has.
enum EarlyWorker {
    static let argument = "--early"
    private static let formats: Set<ImageFormat> = [.jpeg, .png, .webp, .gif]

    /// Whether an early worker has everything that a job can need.
    static func canRun(_ job: TransformJob) -> Bool {
        formats.contains(job.header.format) && job.auxiliaries.isEmpty && job.outputs.allSatisfy(canMake)
    }

    private static func canMake(_ output: WorkerJob.Output) -> Bool {
        if output.plan == Placeholder.planText || Mezzanine(planText: output.plan) != nil { return true }
        guard output.search == EncodingSearch(), let plan = PlainResize(canonicalText: output.plan) else {
            return false
        }
        return plan.settings.format == .auto
            ? output.bucket <= .webp : plan.settings.format.image.map(formats.contains) ?? false
    }
}

extension WorkerPool.Shared {
    /// Whether the pool's first process is an early worker.
    ///
    /// Never with `require`, which starts no worker before the canary has passed.
    var startsEarly: Bool {
        configuration.startsEarly && configuration.sandbox == .best && configuration.workers > 1
    }

    /// Takes an early worker's place away once another worker is ready; `ready` does not count it then.
    func dismissEarlyWorker() -> Bool {
        let isDismissed = population.withLock { population in
            guard ready.load(ordering: .sequentiallyConsistent) > 1, population.dismiss() else { return false }
            ready.subtract(1, ordering: .sequentiallyConsistent)
            return true
        }
        if isDismissed { noteDemand() }
        return isDismissed
    }
}
