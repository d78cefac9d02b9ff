import CVips
import ImagePlan
import LinuxSystem

/// When a job must end; stops libvips' computing from its "eval" signal, and the steps between them.
///
/// What neither reaches (an encoder's single long call) the daemon ends by killing the process.
final class Deadline {
    private let end: Int64
    private let time = SystemTime()

    /// Begins to count now.
    init(milliseconds: Int) {
        end = time.monotonic + Int64(milliseconds) * 1_000_000
    }

    var hasPassed: Bool { time.monotonic >= end }
    /// Nanoseconds until it passes; negative once it has.
    var left: Int64 { end - time.monotonic }

    /// - Throws: `WorkerReply.Failure.deadline` once it has passed.
    func check() throws(WorkerReply.Failure) {
        if hasPassed { throw .deadline }
    }

    /// Makes libvips give up computing `raster` once the deadline has passed.
    ///
    /// To be called on what is computed next, not on its source: a copy in memory does not pass signals on.
    /// This object must outlive the computing.
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
