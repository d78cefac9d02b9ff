import CLinux
import Glibc
import HTTPCache
import LinuxSystem

/// A stream of a job's progress to one client; used on the warmer's thread.
///
/// The client reads a memory file that forgets what has been read. Events that a slow client would pile up are left out.
final class WarmStream {
    /// Bytes that a client may leave unread before events are left out.
    private static let most = 512 << 10

    let job: Int64
    private let file: GrowingFile
    private var count = 0
    /// The monotonic nanoseconds of the last event.
    private(set) var sentAt = Int64.min
    /// Whether the job has changed since.
    var isDue = true

    /// - Parameter file: the file to write to, from `makeFile`.
    init(job: Int64, file: GrowingFile) {
        (self.job, self.file) = (job, file)
    }

    /// Creates the file of a stream; `nil` if the system is out of memory or descriptors.
    static func makeFile() -> GrowingFile? {
        let number = unsafe edge_memfd_create("edgeprint-events")
        return number < 0 ? nil : GrowingFile(SharedDescriptor(owning: number), expected: nil, isKept: false)
    }

    /// Whether the client has left.
    var isAbandoned: Bool { !file.hasReaders }

    /// Sends a report; the last one ends the stream.
    func send(_ report: WarmReport, at now: Int64) {
        (sentAt, isDue) = (now, false)
        let isLast = report.job.state != .running
        guard isLast || file.retained < Self.most else { return }
        let bytes = Array(report.event.utf8)
        guard unsafe pwrite(file.file.number, bytes, bytes.count, off_t(count)) == bytes.count else {
            return file.end(.failed)
        }
        count += bytes.count
        file.grow(to: count)
        if isLast { file.end(.complete) }
    }

    /// Ends the stream before the job has ended.
    func close() { file.end(.complete) }
}
