import ImagePlan

/// Warns about `/fetch` for every host with any parameters, which makes the daemon an open image proxy.
struct UnsignedUseCheck: DoctorCheck {
    private let open: [String]

    init(_ configuration: Configuration) {
        let all = [("", configuration)] + configuration.sites.map { ("sites.\($0.name).", $0.settings) }
        open = all.filter { _, settings in
            !settings.signing.required && settings.remote.unsigned == .any
                && settings.remote.allow.contains(where: \.isEverything)
        }.map { scope, _ in scope + "remote.allow" }
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        open.map { key in
            .warning(
                "unsigned requests",
                "anybody may fetch and transform images of every host, in any number of variants (\(key): \"*\")",
                fix: "name the hosts, limit the variants with remote.unsigned, or require signatures"
            )
        }
    }
}
