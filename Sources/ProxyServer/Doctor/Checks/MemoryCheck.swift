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
        guard let total = MachineMemory.total(probe.text("/proc/meminfo") ?? "") else {
            return [.note("memory", "the machine's memory is unknown; \(sum)", fix: "mount /proc")]
        }
        guard total >= wanted else {
            return [.warning("memory", "the machine has \(Printing.size(total)); \(sum)", fix: fix)]
        }
        return [.ok("memory", "\(sum), of \(Printing.size(total))")]
    }
}
