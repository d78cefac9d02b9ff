/// Whether the memory that the configuration may take is there: the machine's, and that of the control group.
struct MemoryCheck: DoctorCheck {
    /// Bytes of `cache.memory`.
    let cache: Int
    let workers: Int
    /// Bytes of `workers.rss`.
    let workerResident: Int

    /// The daemon without its cache.
    private static let daemon = 96 << 20

    private var wanted: Int { cache + workers * workerResident + Self.daemon }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let sum = "cache.memory, \(workers) × workers.rss and the daemon may take \(Printing.size(wanted))"
        let fix = "lower cache.memory, workers.count or workers.rss"
        if let limit = ControlGroup(probe).memoryLimit, limit < wanted {
            let message = "the control group may have \(Printing.size(limit)); \(sum)"
            return [.warning("memory", message, fix: fix + ", or raise MemoryMax= (docker: --memory)")]
        }
        guard let total = Self.total(probe.text("/proc/meminfo") ?? "") else {
            return [.note("memory", "the machine does not say how much it has; \(sum)", fix: "mount /proc")]
        }
        guard total >= wanted else {
            return [.warning("memory", "the machine has \(Printing.size(total)); \(sum)", fix: fix)]
        }
        return [.ok("memory", "\(sum), of \(Printing.size(total))")]
    }

    /// proc_meminfo(5).
    private static func total(_ text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }
}
