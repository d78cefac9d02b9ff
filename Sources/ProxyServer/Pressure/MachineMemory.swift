/// The memory of the machine, and how much of it this process may use.
struct MachineMemory: Sendable, Equatable {
    /// The machine's memory in bytes; `nil` if it is unknown.
    let total: Int?
    /// The lowest limit of the process's control groups in bytes; `nil` without one.
    let group: Int?

    /// The memory when the process started to use it: a quota must not change between two readings of one configuration.
    static let current = MachineMemory(MachineProbe())

    /// Reads the memory of a machine.
    init(_ probe: any SystemProbe) {
        total = Self.total(probe.text("/proc/meminfo") ?? "")
        group = ControlGroup(probe).memoryLimit
    }

    /// The machine's memory in bytes, from the text of /proc/meminfo (proc_meminfo(5)); `nil` if it is not there.
    private static func total(_ text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }

    /// The machine's memory, or the limit of the control groups if that is lower, in bytes; `nil` if neither is known.
    var available: Int? { [total, group].compactMap(\.self).min() }

    /// The default budget in bytes: half of the machine's memory, which others use, too, or three quarters of the control
    /// group's, whose limit also covers page cache and kernel memory.
    var budget: Int? { [total.map { $0 / 2 }, group.map { $0 / 4 * 3 }].compactMap(\.self).min() }
}
