import ArgumentParser
import Foundation

/// `edgeprint serve`: the daemon.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Serves pictures (the default).")

    @OptionGroup var options: ConfigurationOptions

    @Option(help: ArgumentHelp("Where to listen, in place of the configuration's listen.", valueName: "host:port"))
    var listen: String?

    @Option(help: ArgumentHelp("Where health and metrics are, in place of admin.listen.", valueName: "host:port|off"))
    var admin: String?

    @Option(help: ArgumentHelp("The disk cache's folder, in place of cache.path.", valueName: "dir"))
    var cachePath: String?

    func run() async throws {
        let flags = ConfigurationLoader.Flags(
            config: options.config,
            listen: listen,
            admin: admin,
            cachePath: cachePath
        )
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        try await Daemon.run(loader.loadOrExit(), loader: loader)
    }
}
