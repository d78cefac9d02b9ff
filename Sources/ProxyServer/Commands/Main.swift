import ArgumentParser

/// The process's entry point.
@main
enum Main {
    /// Runs the command that the arguments name.
    static func main() {
        // A shortcut for monitoring and packaging, which call it often: no argument parser, no second thread.
        guard !CommandLine.arguments.dropFirst().elementsEqual(["--version"]) else { return print(Version.text) }
        Edgeprint.main()
    }
}

/// The command line of the daemon and its tools.
struct Edgeprint: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edgeprint",
        abstract: "An image proxy that fetches, transforms and caches images.",
        discussion: """
            The default command is serve. All commands read the same configuration: the file named by --config, else by \
            EDGEPRINT_CONFIG, else /etc/edgeprint/edgeprint.yaml. EDGEPRINT_ variables override the file, and flags \
            override both.

            EXAMPLES
              edgeprint init --source /srv/images
              edgeprint serve --config edgeprint.yaml
              edgeprint check --config edgeprint.yaml
              edgeprint explain '/photos/cat.jpg?w=400' --config edgeprint.yaml
              edgeprint --generate-completion-script bash > edgeprint.bash

            EXIT STATUS
                0   success
                1   invalid configuration, refused request or URL, finding, failure
                64  invalid command line
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, InitCommand.self, CheckCommand.self, ExplainCommand.self, KeyCommand.self,
            URLCommand.self,
            CheckURLCommand.self, WarmCommand.self, HasCommand.self, GetCommand.self, PutCommand.self,
            PurgeCommand.self, StatsCommand.self, SimulateCommand.self, TranslateCommand.self, DoctorCommand.self,
            FsckCommand.self,
        ],
        defaultSubcommand: ServeCommand.self
    )
}
