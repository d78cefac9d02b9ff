/// What workers are locked in by, and what the kernel offers beyond that.
struct SandboxCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        let offers = [
            probe.landlockVersion.map { "Landlock (ABI \($0))" }, hasFilters(probe) ? "seccomp filters" : nil,
        ].compactMap(\.self)
        let rest = offers.isEmpty ? "" : "; this kernel's \(offers.joined(separator: " and ")) are not used"
        return [
            .note(
                "worker sandbox",
                "resource limits, no new privileges, nothing of the daemon's environment, and no more\(rest)",
                fix: hasFilters(probe)
                    ? "serve by the systemd unit, whose filters and read-only file system hold for workers, too"
                    : "run a kernel with CONFIG_SECCOMP_FILTER from 4.14 on: the unit's SystemCallFilter= does nothing here"
            )
        ]
    }

    private func hasFilters(_ probe: any SystemProbe) -> Bool {
        let actions = (probe.text("/proc/sys/kernel/seccomp/actions_avail") ?? "").split { $0 == " " || $0 == "\n" }
        return actions.contains("errno") && actions.contains("kill_process")
    }
}
