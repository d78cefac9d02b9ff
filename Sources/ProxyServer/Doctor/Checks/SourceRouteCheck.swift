import ImagePipeline
import OriginTransfer

/// Checks how sources are reached: whether certificates are verified, the files of `tls` can be read, and interfaces exist.
struct SourceRouteCheck: DoctorCheck {
    let sources: [ConfiguredSource]

    func findings(_ probe: any SystemProbe) -> [Finding] {
        sources.flatMap { source in
            let tls = source.rule.tls
            let subject = "source \(source.rule.name)"
            let files = [("ca", tls.authority), ("certificate", tls.certificate), ("key", tls.key)]
            let unreadable = files.compactMap { name, path -> Finding? in
                guard let path, let problem = Self.problem(of: path, probe) else { return nil }
                let fix = "create it, or let the daemon's user read it; until then no original of the source is loaded"
                return .failure(subject, "tls.\(name): \(path) \(problem)", fix: fix)
            }
            let absent = Self.absentDevice(source.rule.interface, subject, probe).map { [$0] } ?? []
            return unreadable + absent + (tls.verifies ? [] : [Self.unverified(subject)])
        }
    }

    /// The failure of a network interface that the machine does not have.
    private static func absentDevice(
        _ interface: TransferInterface?,
        _ subject: String,
        _ probe: any SystemProbe
    ) -> Finding? {
        guard case .device(let name) = interface, probe.status("/sys/class/net") != nil,
            probe.status("/sys/class/net/\(name)") == nil
        else { return nil }
        return .failure(subject, "interface: there is no \(name) on this machine", fix: "choose one that ip link lists")
    }

    /// The warning of `tls.verify: false`.
    private static func unverified(_ subject: String) -> Finding {
        .warning(
            subject,
            "its certificate is NOT verified (tls.verify: false): anybody on the way to it can read its credentials "
                + "and replace its images",
            fix: "remove tls.verify, and name the origin's certificate or its authority with tls.ca"
        )
    }

    private static func problem(of path: String, _ probe: any SystemProbe) -> String? {
        guard let status = probe.status(path) else { return "does not exist" }
        guard status.kind != .folder else { return "is a folder" }
        return probe.accessError(path, .read).map { "is not readable: \($0)" }
    }
}
