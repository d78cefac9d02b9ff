/// Checks that the kernel reports memory pressure (PSI, proc_pressure(5)).
struct PressureCheck: DoctorCheck {
    /// The share of the last minute, in percent, in which some task waited for memory, that causes a warning.
    private static let much = 10.0

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard let text = probe.text("/proc/pressure/memory") else {
            let message = "the kernel does not report memory pressure (PSI)"
            return [.note("pressure", message, fix: "boot with psi=1, or a kernel with CONFIG_PSI")]
        }
        let share = PressureStall.some60(text)
        guard let share, share > Self.much else { return [.ok("pressure", "reported by the kernel (PSI)")] }
        let message = "tasks waited for memory in \(Printing.rounded(share)) % of the last minute"
        return [
            .warning("pressure", message, fix: "lower cache.memory or workers.count, or give the machine more memory")
        ]
    }
}
