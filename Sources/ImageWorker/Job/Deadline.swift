import CVips
import ImagePlan
import LinuxSystem

/// The deadline of a job, checked between steps and in libvips' "eval" signal; a job that the daemon cancels is treated as late.
///
/// The daemon kills the process if neither is reached in time, as in a single long call of an encoder.
final class Deadline {
    /// The nanoseconds between two looks for a cancellation, each a system call.
    private static let lookInterval: Int64 = 2_000_000

    private let end: Int64
    private let time = SystemTime()
    private let isUnwanted: () -> Bool
    private var nextLook: Int64
    /// Whether the daemon has cancelled the job.
    private(set) var isCancelled = false

    /// Starts counting now.
    ///
    /// - Parameter isUnwanted: whether the daemon has cancelled the job.
    init(milliseconds: Int, isUnwanted: @escaping () -> Bool = { false }) {
        let now = time.monotonic
        end = now + Int64(milliseconds) * 1_000_000
        nextLook = now + Self.lookInterval
        self.isUnwanted = isUnwanted
    }

    var hasPassed: Bool {
        let now = time.monotonic
        if now >= nextLook, !isCancelled {
            nextLook = now + Self.lookInterval
            isCancelled = isUnwanted()
        }
        return isCancelled || now >= end
    }
    /// The remaining time in nanoseconds; negative after the deadline.
    var left: Int64 { end - time.monotonic }

    /// - Throws: `WorkerReply.Failure.deadline` once it has passed.
    func check() throws(WorkerReply.Failure) {
        if hasPassed { throw .deadline }
    }

    /// Makes libvips stop computing `raster` after the deadline.
    ///
    /// Call it on the image that is computed next, since a copy in memory does not forward signals to its source.
    /// The deadline must outlive the computation.
    func watch(_ raster: Raster) {
        unsafe vips_image_set_progress(raster.pointer, 1)
        unsafe edge_vips_on_eval(
            raster.pointer,
            { _, progress, context in
                guard let progress = unsafe progress, let context = unsafe context else { return }
                let deadline = unsafe Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue()
                if deadline.hasPassed { unsafe vips_image_set_kill(progress.pointee.im, 1) }
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
