/// What the kernel offers to lock workers in with.
struct SandboxCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] { [landlock(probe), seccomp(probe)] }

    private func landlock(_ probe: any SystemProbe) -> Finding {
        guard let version = probe.landlockVersion else {
            return .note(
                "Landlock",
                "not there: a decoder that is broken into may read what the service's user may read",
                fix: "boot a kernel from 5.13 on with lsm=landlock,… on its command line, or serve by the systemd unit"
            )
        }
        return .ok("Landlock", "ABI \(version)")
    }

    private func seccomp(_ probe: any SystemProbe) -> Finding {
        let actions = (probe.text("/proc/sys/kernel/seccomp/actions_avail") ?? "").split { $0 == " " || $0 == "\n" }
        guard actions.contains("errno"), actions.contains("kill_process") else {
            return .note(
                "seccomp",
                "no filters: the unit's SystemCallFilter= does nothing",
                fix: "run a kernel with CONFIG_SECCOMP_FILTER from 4.14 on"
            )
        }
        return .ok("seccomp", "filters are there")
    }
}
