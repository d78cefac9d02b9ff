import ArgumentParser
import Foundation
import ImagePlan

/// `edgeprint serve`: runs the daemon.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the server (the default command).",
        discussion: """
            SIGTERM and SIGINT stop the server; requests in progress may finish within shutdown.grace. SIGHUP reloads the \
            configuration. SIGUSR2 starts the installed program again, which takes over without \
            losing a connection. The access log is written to standard output, events to standard error.

            EXAMPLES
              edgeprint serve --config /etc/edgeprint/edgeprint.yaml
              edgeprint serve --listen 127.0.0.1:8080 --admin off --cache-path /tmp/edgeprint
              EDGEPRINT_LOG_LEVEL=debug edgeprint serve

            EXIT STATUS
                0   stopped by a signal
                1   invalid configuration or failure to start; standard error has the reason
                64  invalid command line
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("Address of the public listener; overrides listen.", valueName: "host:port|unix:/path"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "Address of the admin listener; overrides admin.listen.",
            valueName: "host:port|unix:/path|off"
        )
    )
    var admin: String?

    @Option(
        help: ArgumentHelp("Folder of the disk cache; overrides cache.path.", valueName: "dir"),
        completion: .directory
    )
    var cachePath: String?

    /// Positional arguments, which are misspelt commands: serve is the default command and takes none.
    @Argument(help: .hidden)
    var unknown: [String] = []

    func validate() throws {
        guard let word = unknown.first else { return }
        // The parser would report such an option later: the word is its value.
        if let option = Self.unknownOption(in: CommandLine.arguments, before: word) {
            let hint = NearestName.of(option, among: Self.optionNames).map { " Did you mean '\($0)'?" } ?? ""
            throw ValidationError("Unknown option '\(option)'.\(hint)")
        }
        let names = Edgeprint.configuration.subcommands.compactMap { $0.configuration.commandName }
        let nearest = NearestName.of(word, among: names).map { "; did you mean '\($0)'?" } ?? "."
        throw ValidationError("There is no command '\(word)'\(nearest) Commands: \(names.joined(separator: ", ")).")
    }

    /// The names of options, for which a misspelt one may be meant.
    private static let optionNames = ["--config", "--listen", "--admin", "--cache-path", "--help", "--version", "-h"]

    /// The first argument before a word that looks like an option and is none; without its value.
    private static func unknownOption(in arguments: [String], before word: String) -> String? {
        let options = arguments.dropFirst().prefix { $0 != word && $0 != "--" }.filter { $0.hasPrefix("-") }
        return options.map { String($0.prefix { $0 != "=" }) }.first { !optionNames.contains($0) }
    }

    func run() throws {
        let flags = ConfigurationLoader.Flags(
            config: options.config,
            listen: listen,
            admin: admin,
            cachePath: cachePath
        )
        let hardening = DaemonHardening()
        let loader = ConfigurationLoader(secrets: hardening.environment, flags: flags)
        let loaded = try loader.loadWithOriginsOrExit()
        do {
            try hardening.apply(loaded)
            try Daemon.run(loaded, loader: loader)
        } catch let problem as ConfigurationProblem {
            FileHandle.standardError.write(Data("edgeprint: \(problem)\n".utf8))
            throw ExitCode(1)
        }
    }
}
