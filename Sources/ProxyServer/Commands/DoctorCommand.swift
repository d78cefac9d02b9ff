import ArgumentParser
import Foundation

/// `edgeprint doctor`: looks at the machine with the eyes of the daemon.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks machine, limits, folders, codecs and clock, and says what to do.",
        discussion: """
            One finding a line: ok, note, warning or failure, and below all that is not ok what would change it. Asks \
            no origin, resolves no name, and disturbs no daemon that runs. Ask as the user that serves, in the \
            environment that it serves in: what the superuser in a shell may do says little.

            EXAMPLES
              edgeprint doctor --config /etc/edgeprint/edgeprint.yaml
              edgeprint doctor --json | jq '.findings[] | select(.severity != "ok")'
              systemd-run --pty -p DynamicUser=yes -p User=edgeprint edgeprint doctor

            EXIT STATUS
              0   the daemon can do its work; there may be notes and warnings
              1   it cannot, or the configuration is wrong
              64  the command line is wrong
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "One JSON object for programs.")
    var json = false

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let report = DoctorReport(findings: Self.findings(loader, MachineProbe()))
        try StandardOutput.write(json ? report.json.document : report.text)
        if report.hasFailed { throw ExitCode(1) }
    }

    /// The configuration's own problems, then what the checks find.
    static func findings(_ loader: ConfigurationLoader, _ probe: any SystemProbe) -> [Finding] {
        do throws(ConfigurationError) {
            let loaded = try loader.loadWithOrigins()
            let summary = Printing.count(loaded.configuration.sources.count, "source")
            return [.ok("configuration", "right, \(summary)")] + Doctor(loaded).run(probe)
        } catch {
            let problems = error.problems.map { problem in
                Finding.failure(
                    "configuration",
                    "\(problem)",
                    fix: "correct this; edgeprint check shows what comes of it"
                )
            }
            return problems + Doctor().run(probe)
        }
    }
}
