import ArgumentParser
import Foundation

/// `edgeprint doctor`: checks whether the daemon can run on this machine.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks machine, limits, folders, codecs and clock, and suggests fixes.",
        discussion: """
            One finding per line: ok, note, warning or failure, followed by a fix unless it is ok. Contacts no origin, \
            resolves no names of sources, and does not disturb a running daemon. In cluster.store, if there is one, it writes \
            an object 'doctor-…' and removes it. Run it as the user and in the environment of the daemon: root's permissions \
            and limits in a shell differ from those of the service.

            EXAMPLES
              edgeprint doctor --config /etc/edgeprint/edgeprint.yaml
              edgeprint doctor --json | jq '.findings[] | select(.severity != "ok")'
              systemd-run --pty -p DynamicUser=yes -p User=edgeprint edgeprint doctor

            EXIT STATUS
                0   the daemon can run; there may be notes and warnings
                1   it cannot, or the configuration is invalid
                64  invalid command line
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let report = DoctorReport(findings: Self.findings(loader, MachineProbe()))
        try StandardOutput.write(json ? report.json.document : report.text)
        if report.hasFailed { throw ExitCode(1) }
    }

    /// Runs the checks, some of which start workers or read a folder.
    private static func run(_ doctor: Doctor, _ probe: any SystemProbe) -> [Finding] {
        var progress = ProgressLine(total: doctor.checks.count)
        defer { progress.clear() }
        return doctor.run(probe) { done, finding in progress.show(done, finding?.subject ?? "") }
    }

    /// The problems of the configuration, followed by the findings of the checks.
    private static func findings(_ loader: ConfigurationLoader, _ probe: any SystemProbe) -> [Finding] {
        do throws(ConfigurationError) {
            let loaded = try loader.loadWithOrigins()
            let summary = Printing.count(loaded.configuration.sources.count, "source")
            return [.ok("configuration", "valid, \(summary)")] + run(Doctor(loaded), probe)
        } catch {
            let problems = error.problems.map { problem in
                Finding.failure(
                    "configuration",
                    "\(problem)",
                    fix: "correct it, then run edgeprint check"
                )
            }
            return problems + run(Doctor(), probe)
        }
    }
}
