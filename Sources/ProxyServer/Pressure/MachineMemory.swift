/// The memory of the machine, and how much of it this process may use.
enum MachineMemory {
    /// The machine's memory in bytes, from the text of /proc/meminfo (proc_meminfo(5)); `nil` if it is not there.
    static func total(_ text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }

    /// The machine's memory, or the lowest limit of the process's control groups, in bytes; `nil` if neither is known.
    static func available(_ probe: any SystemProbe) -> Int? {
        [total(probe.text("/proc/meminfo") ?? ""), ControlGroup(probe).memoryLimit].compactMap(\.self).min()
    }
}
