import ArgumentParser

/// The command line of the daemon and its tools.
@main
struct Edgeprint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edgeprint",
        abstract: "An image proxy: fetches, transforms and caches pictures.",
        version: Version.text,
        subcommands: [ServeCommand.self, CheckCommand.self],
        defaultSubcommand: ServeCommand.self
    )
}
