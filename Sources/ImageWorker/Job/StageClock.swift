import ImagePlan
import LinuxSystem

/// Measures the stages of a job.
///
/// libvips computes on demand, so most of the decoding and transforming counts as encoding.
struct StageClock {
    private let time = SystemTime()
    private var last: Int64
    private(set) var timing = WorkerReply.Timing()

    /// Starts counting now.
    init() {
        last = time.monotonic
    }

    mutating func endDecode() { timing.decode = lap() }
    mutating func endTransform() { timing.transform = lap() }
    mutating func endEncode() { timing.encode = lap() }

    private mutating func lap() -> UInt32 {
        let now = time.monotonic
        defer { last = now }
        return UInt32(clamping: (now - last) / 1_000)
    }
}
