/// The control group of this process and its ancestors (cgroups(7)), version 1 or 2.
struct ControlGroup {
    /// The folder of a group.
    private struct Folder {
        var path: String
        /// Whether it is version 2.
        var isUnified: Bool
    }

    private let probe: any SystemProbe
    /// The groups from the root to the process's own.
    private let groups: [Folder]

    init(_ probe: any SystemProbe) {
        self.probe = probe
        // "0::/path" is version 2, "4:memory:/path" version 1; both may be mounted.
        let lines = (probe.text("/proc/self/cgroup") ?? "").split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }
        groups = lines.filter { $0.count == 3 }.flatMap { line -> [Folder] in
            if line[0] == "0", line[1].isEmpty { return Self.folders("/sys/fs/cgroup", line[2], isUnified: true) }
            guard line[1].split(separator: ",").contains("memory") else { return [] }
            return Self.folders("/sys/fs/cgroup/memory", line[2], isUnified: false)
        }
    }

    /// The lowest memory limit of all groups in bytes; `nil` without a limit.
    var memoryLimit: Int? { groups.compactMap(limit).min() }

    /// The group nearest to its limit.
    var memoryUse: MemoryReading.Group? {
        groups.compactMap { group -> MemoryReading.Group? in
            guard let limit = limit(group), let used = use(group) else { return nil }
            return MemoryReading.Group(used: used, limit: limit)
        }.max { $0.percent < $1.percent }
    }

    /// The pressure files of groups with a limit.
    var pressurePaths: [String] {
        groups.filter { $0.isUnified && limit($0) != nil }.map { "\($0.path)/memory.pressure" }
    }

    private func limit(_ group: Folder) -> Int? {
        let names = group.isUnified ? ["memory.max", "memory.high"] : ["memory.limit_in_bytes"]
        // Without a limit, version 1 has a number near the maximum and version 2 "max".
        return names.compactMap { number("\(group.path)/\($0)") }.filter { $0 < 1 << 60 }.min()
    }

    /// The charged bytes without cached file pages, which the kernel reclaims first.
    private func use(_ group: Folder) -> Int? {
        let name = group.isUnified ? "memory.current" : "memory.usage_in_bytes"
        guard let charged = number("\(group.path)/\(name)") else { return nil }
        // Version 1 has sums over descendants under "total_".
        let names = group.isUnified ? ["inactive_file", "active_file"] : ["total_inactive_file", "total_active_file"]
        let files = (probe.text("\(group.path)/memory.stat") ?? "").split(separator: "\n").reduce(0) { sum, line in
            let words = line.split(separator: " ")
            guard words.count == 2, names.contains(String(words[0])) else { return sum }
            return sum + (Int(words[1]) ?? 0)
        }
        return max(0, charged - files)
    }

    /// The folders of a group and its ancestors; in a container the group's folder is the root.
    private static func folders(_ root: String, _ path: Substring, isUnified: Bool) -> [Folder] {
        var result = [Folder(path: root, isUnified: isUnified)]
        for name in path.split(separator: "/") {
            result.append(Folder(path: (result.last?.path ?? root) + "/" + name, isUnified: isUnified))
        }
        return result
    }

    private func number(_ path: String) -> Int? {
        probe.text(path).flatMap { Int($0.split(separator: "\n").first ?? "") }
    }
}
