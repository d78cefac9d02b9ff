import Glibc

/// What the kernel accounts to this process, as far as it is known; the names of the metrics are those of all Prometheus clients.
struct ProcessReading: Sendable {
    /// Processor time of all threads, in seconds.
    let processorSeconds: Double
    /// Bytes in memory.
    let residentBytes: Int
    /// Bytes of address space.
    let virtualBytes: Int
    /// Open descriptors.
    let openFiles: Int
    /// The maximum number of open descriptors.
    let maximumFiles: Int?
    let threads: Int
    /// The start, in seconds since 1970.
    let start: Double

    /// Reads the process's accounts from proc(5); does not block.
    init(_ probe: MachineProbe = MachineProbe()) {
        let fields = Self.fields(probe)
        processorSeconds = Self.seconds(of: CLOCK_PROCESS_CPUTIME_ID)
        threads = fields.threads
        virtualBytes = fields.virtualBytes
        residentBytes = fields.residentPages * Int(sysconf(CInt(_SC_PAGESIZE)))
        openFiles = Self.openFiles()
        maximumFiles = probe.limit(.files).soft
        start = Self.start
    }

    /// The fields of /proc/self/stat that are used (proc_pid_stat(5)).
    struct Fields: Hashable {
        var threads = 0
        /// Clock ticks from the machine's start to the process's.
        var startTicks = 0
        var virtualBytes = 0
        var residentPages = 0

        /// Parses the line; fields that are missing stay 0.
        init(_ line: String) {
            // The name in parentheses may contain spaces and parentheses.
            guard let end = line.lastIndex(of: ")") else { return }
            // The first of these is field 3.
            let fields = line[end...].dropFirst().split(separator: " ").map { Int($0) ?? 0 }
            func field(_ number: Int) -> Int { number - 3 < fields.count ? fields[number - 3] : 0 }
            (threads, startTicks, virtualBytes, residentPages) = (field(20), field(22), field(23), field(24))
        }
    }

    private static func fields(_ probe: MachineProbe) -> Fields { Fields(probe.text("/proc/self/stat") ?? "") }

    /// Computed once: the difference of two clocks varies, and the start must not.
    private static let start: Double = {
        let ticks = Double(fields(MachineProbe()).startTicks) / Double(max(1, sysconf(CInt(_SC_CLK_TCK))))
        let start = seconds(of: CLOCK_REALTIME) - (seconds(of: CLOCK_BOOTTIME) - ticks)
        return (start * 100).rounded() / 100
    }()

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func openFiles() -> Int {
        var status = stat()
        // Since Linux 6.2 the folder's size is the number of descriptors.
        if unsafe stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return Int(status.st_size) }
        guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(folder) }
        // Without `.`, `..` and the folder itself.
        var count = -3
        while unsafe readdir(folder) != nil { count += 1 }
        return max(0, count)
    }
}
