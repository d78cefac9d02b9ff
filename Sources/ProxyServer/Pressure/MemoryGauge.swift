/// Reads how short memory is; a seam, so that tests tell of pressure that is not there.
protocol MemoryGauge: Sendable {
    /// The state now; may read files.
    func reading() -> MemoryReading
}

/// The kernel's word: PSI of the machine and of the control group, limits and use of control groups of version 1 or 2.
struct KernelMemoryGauge: MemoryGauge {
    let probe: any SystemProbe

    func reading() -> MemoryReading {
        let group = ControlGroup(probe)
        let texts = ["/proc/pressure/memory"] + group.pressurePaths
        let stalled = texts.compactMap { probe.text($0).flatMap(PressureStall.some10) }.max()
        return MemoryReading(stalled: stalled, group: group.memoryUse)
    }
}

/// The format of pressure stall information: `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`.
enum PressureStall {
    /// Percent of the last ten seconds in which some task waited.
    static func some10(_ text: String) -> Double? { share(text, "avg10=") }

    /// Percent of the last minute in which some task waited.
    static func some60(_ text: String) -> Double? { share(text, "avg60=") }

    private static func share(_ text: String, _ name: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix("some ") }?
            .split(separator: " ").first { $0.hasPrefix(name) }.flatMap { Double($0.dropFirst(name.count)) }
    }
}
