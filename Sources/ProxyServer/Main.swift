import ArgumentParser

/// The process's entry point.
@main
enum Main {
    /// Runs the command that the arguments name.
    static func main() {
        // What monitoring and packaging ask again and again needs neither the parser of arguments nor a second thread.
        guard !CommandLine.arguments.dropFirst().elementsEqual(["--version"]) else { return print(Version.text) }
        Edgeprint.main()
    }
}

/// The command line of the daemon and its tools.
struct Edgeprint: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edgeprint",
        abstract: "An image proxy: fetches, transforms and caches pictures.",
        discussion: """
            Without a command, serve. Every command reads the same configuration: --config FILE, else \
            EDGEPRINT_CONFIG, else /etc/edgeprint/edgeprint.yaml, else defaults; over it EDGEPRINT_ variables, over \
            these flags.

            EXAMPLES
              edgeprint serve --config edgeprint.yaml
              edgeprint check --config edgeprint.yaml
              edgeprint explain '/photos/cat.jpg?w=400' --config edgeprint.yaml
              edgeprint --generate-completion-script bash > edgeprint.bash

            EXIT STATUS
              0   fine
              1   wrong configuration, refused request or URL, finding, failure
              64  the command line is wrong
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, CheckCommand.self, ExplainCommand.self, URLCommand.self, CheckURLCommand.self,
            PurgeCommand.self, StatsCommand.self, DoctorCommand.self, FsckCommand.self,
        ],
        defaultSubcommand: ServeCommand.self
    )
}
