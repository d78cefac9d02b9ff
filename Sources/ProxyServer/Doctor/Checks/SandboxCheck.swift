/// Reports the restrictions of workers, and which further ones the kernel supports.
struct SandboxCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        let offers = [
            probe.landlockVersion.map { "Landlock (ABI \($0))" }, hasFilters(probe) ? "seccomp filters" : nil,
        ].compactMap(\.self)
        let rest = offers.isEmpty ? "" : "; not used, though this kernel has them: \(offers.joined(separator: " and "))"
        return [
            .note(
                "worker sandbox",
                "only resource limits, no new privileges, and none of the daemon's environment\(rest)",
                fix: hasFilters(probe)
                    ? "run the systemd unit, whose filters and read-only file system also apply to workers"
                    : "use a kernel with CONFIG_SECCOMP_FILTER, 4.14 or later: the unit's SystemCallFilter= has no effect here"
            )
        ]
    }

    private func hasFilters(_ probe: any SystemProbe) -> Bool {
        let actions = (probe.text("/proc/sys/kernel/seccomp/actions_avail") ?? "").split { $0 == " " || $0 == "\n" }
        return actions.contains("errno") && actions.contains("kill_process")
    }
}
