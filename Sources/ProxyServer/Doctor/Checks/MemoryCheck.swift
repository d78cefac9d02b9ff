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

/// The control group that this process is in (cgroups(7)), version 2 or 1.
struct ControlGroup {
    private let probe: any SystemProbe

    init(_ probe: any SystemProbe) {
        self.probe = probe
    }

    /// The lowest memory limit from this process's group up to the root, in bytes; `nil` without one.
    var memoryLimit: Int? {
        // "0::/path" of version 2, "4:memory:/path" of version 1; both may be mounted.
        let lines = (probe.text("/proc/self/cgroup") ?? "").split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }
        let limits = lines.filter { $0.count == 3 }.flatMap { line -> [Int] in
            if line[0] == "0", line[1].isEmpty {
                return folders("/sys/fs/cgroup", line[2]).flatMap { folder in
                    ["memory.max", "memory.high"].compactMap { number("\(folder)/\($0)") }
                }
            }
            guard line[1].split(separator: ",").contains("memory") else { return [] }
            return folders("/sys/fs/cgroup/memory", line[2]).compactMap { number("\($0)/memory.limit_in_bytes") }
        }
        // Version 1 says "none" with a number near the largest.
        return limits.filter { $0 < 1 << 60 }.min()
    }

    /// A group's folder and those above it; in a container the group's own folder is the root.
    private func folders(_ root: String, _ path: Substring) -> [String] {
        var result = [root]
        for name in path.split(separator: "/") { result.append((result.last ?? root) + "/" + name) }
        return result
    }

    private func number(_ path: String) -> Int? {
        probe.text(path).flatMap { Int($0.split(separator: "\n").first ?? "") }
    }
}
