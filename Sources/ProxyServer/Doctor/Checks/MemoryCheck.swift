/// Checks that the machine and the control group have the memory that the configuration may use.
struct MemoryCheck: DoctorCheck {
    /// Bytes of `cache.memory`.
    let cache: Int
    let workers: Int
    /// Bytes of `workers.rss`.
    let workerResident: Int

    /// The daemon's memory without its cache, in bytes.
    private static let daemon = 96 << 20

    private var wanted: Int { cache + workers * workerResident + Self.daemon }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let sum = "cache.memory, \(workers) × workers.rss and the daemon may use \(Printing.size(wanted))"
        let fix = "lower cache.memory, workers.count or workers.rss"
        if let limit = ControlGroup(probe).memoryLimit, limit < wanted {
            let message = "the control group is limited to \(Printing.size(limit)); \(sum)"
            return [.warning("memory", message, fix: fix + ", or raise MemoryMax= (docker: --memory)")]
        }
        guard let total = Self.total(probe.text("/proc/meminfo") ?? "") else {
            return [.note("memory", "the machine's memory is unknown; \(sum)", fix: "mount /proc")]
        }
        guard total >= wanted else {
            return [.warning("memory", "the machine has \(Printing.size(total)); \(sum)", fix: fix)]
        }
        return [.ok("memory", "\(sum), of \(Printing.size(total))")]
    }

    /// The machine's memory in bytes, from the text of /proc/meminfo (proc_meminfo(5)); `nil` if it is not there.
    static func total(_ text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }
}
