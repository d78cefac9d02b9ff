/// Whether the kernel tells how long work waits for memory (PSI, proc_pressure(5)).
struct PressureCheck: DoctorCheck {
    /// Percent of the last minute in which some task waited.
    private static let much = 10.0

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard let text = probe.text("/proc/pressure/memory") else {
            let message = "the kernel does not tell of pressure (PSI)"
            return [.note("pressure", message, fix: "boot with psi=1, or a kernel with CONFIG_PSI")]
        }
        let share = PressureStall.some60(text)
        guard let share, share > Self.much else { return [.ok("pressure", "the kernel tells (PSI)")] }
        let message = "work waited for memory in \(Printing.rounded(share)) % of the last minute"
        return [
            .warning("pressure", message, fix: "lower cache.memory or workers.count, or give the machine more memory")
        ]
    }
}
