/// Measures memory pressure; replaceable in tests.
protocol MemoryGauge: Sendable {
    /// Takes a reading; may read files.
    func reading() -> MemoryReading
}

/// Measures PSI of the machine and the control group, and limits and usage of control groups of version 1 or 2.
struct KernelMemoryGauge: MemoryGauge {
    let probe: any SystemProbe

    func reading() -> MemoryReading {
        let group = ControlGroup(probe)
        let texts = ["/proc/pressure/memory"] + group.pressurePaths
        let stalled = texts.compactMap { probe.text($0).flatMap(PressureStall.some10) }.max()
        return MemoryReading(stalled: stalled, group: group.memoryUse)
    }
}

/// Parses pressure stall information: `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`.
enum PressureStall {
    /// The share of the last ten seconds in which some task waited, in percent.
    static func some10(_ text: String) -> Double? { share(text, "avg10=") }

    /// The share of the last minute in which some task waited, in percent.
    static func some60(_ text: String) -> Double? { share(text, "avg60=") }

    private static func share(_ text: String, _ name: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix("some ") }?
            .split(separator: " ").first { $0.hasPrefix(name) }.flatMap { Double($0.dropFirst(name.count)) }
    }
}
