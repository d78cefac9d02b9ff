/// Checks that the wall clock is plausible, as freshness and `exp` depend on it.
struct ClockCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        var text = TimestampText()
        text.update(to: probe.wallSeconds)
        let stamp = String(decoding: text.bytes, as: UTF8.self)
        guard probe.wallSeconds >= Version.releaseSeconds else {
            let message = "\(stamp) is earlier than this release: all responses look fresh, and no signature expires"
            return [.failure("clock", message, fix: "set the time: timedatectl set-ntp true")]
        }
        switch probe.isClockSynchronised {
        case true?: return [.ok("clock", "\(stamp), synchronised")]
        case false?:
            let fix = "install chrony or systemd-timesyncd, unless the host keeps the time: timedatectl"
            return [.note("clock", "\(stamp), not synchronised", fix: fix)]
        case nil: return [.ok("clock", "\(stamp); the kernel does not report whether it is synchronised")]
        }
    }
}
