import Glibc
import LinuxSystem

/// The progress of a command on standard error: a bar that is redrawn, on a terminal only.
struct ProgressLine {
    /// The least nanoseconds between two redraws.
    private static let interval: Int64 = 200_000_000

    private let time: any TimeSource
    private let isTerminal: Bool
    private let total: Int?
    private var meter: ProgressMeter
    private var shownAt: Int64?

    /// - Parameters:
    ///   - total: the count at the end; `nil` if it is not known.
    ///   - isTerminal: whether there is somebody to show it to.
    init(
        total: Int?,
        unit: ProgressMeter.Unit = .items,
        isTerminal: Bool = isatty(STDERR_FILENO) == 1,
        time: any TimeSource = SystemTime()
    ) {
        (self.total, self.isTerminal, self.time) = (total, isTerminal, time)
        meter = ProgressMeter(isTerminal: true, unit: unit, time: time)
    }

    /// Redraws the line, unless that was done just now.
    ///
    /// - Parameter note: what is shown behind the count.
    mutating func show(_ done: Int, of total: Int? = nil, _ note: String = "") {
        guard isTerminal else { return }
        let now = time.monotonic
        if let shownAt, now - shownAt < Self.interval { return }
        shownAt = now
        StandardError.write(meter.text(done, of: total ?? self.total, notes: note.isEmpty ? [] : [note]))
    }

    /// Removes the line, before other output.
    mutating func clear() {
        guard shownAt != nil else { return }
        shownAt = nil
        StandardError.write(meter.clear)
    }

    /// The length of a regular file; `nil` for anything else.
    static func length(of descriptor: CInt) -> Int? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }
}
