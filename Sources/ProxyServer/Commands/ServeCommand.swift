import ArgumentParser
import Foundation
import ImagePlan

/// `edgeprint serve`: the daemon.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves pictures (the default).",
        discussion: """
            SIGTERM and SIGINT finish the requests under way, for at most shutdown.grace, and end the daemon. The \
            access log goes to standard output, events go to standard error.

            EXAMPLES
              edgeprint serve --config /etc/edgeprint/edgeprint.yaml
              edgeprint serve --listen 127.0.0.1:8080 --admin off --cache-path /tmp/edgeprint
              EDGEPRINT_LOG_LEVEL=debug edgeprint serve

            EXIT STATUS
              0   told to end, and everything ended
              1   the configuration is wrong, or a part cannot start: the reason stands on standard error
              64  the command line is wrong
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("Where to listen, in place of the configuration's listen.", valueName: "host:port"))
    var listen: String?

    @Option(help: ArgumentHelp("Where health and metrics are, in place of admin.listen.", valueName: "host:port|off"))
    var admin: String?

    @Option(
        help: ArgumentHelp("The disk cache's folder, in place of cache.path.", valueName: "dir"),
        completion: .directory
    )
    var cachePath: String?

    /// What is no option: serve is the default command, so that a misspelt command arrives here.
    @Argument(help: .hidden)
    var unknown: [String] = []

    func validate() throws {
        guard let word = unknown.first else { return }
        let names = Edgeprint.configuration.subcommands.compactMap { $0.configuration.commandName }
        let nearest = NearestName.of(word, among: names).map { "; did you mean '\($0)'?" } ?? "."
        throw ValidationError("There is no command '\(word)'\(nearest) Commands: \(names.joined(separator: ", ")).")
    }

    func run() throws {
        let flags = ConfigurationLoader.Flags(
            config: options.config,
            listen: listen,
            admin: admin,
            cachePath: cachePath
        )
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let loaded = try loader.loadWithOriginsOrExit()
        do {
            try Daemon.run(loaded, loader: loader)
        } catch let problem as ConfigurationProblem {
            FileHandle.standardError.write(Data("edgeprint: \(problem)\n".utf8))
            throw ExitCode(1)
        }
    }
}
