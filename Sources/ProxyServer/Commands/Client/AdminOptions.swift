import ArgumentParser
import Foundation
import HTTPKit

/// The flags of commands that ask a running daemon.
struct AdminOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp("The daemon's admin listener, in place of admin.listen.", valueName: "host:port|unix:/path")
    )
    var admin: String?

    func validate() throws {
        if let admin, ListenAddress(admin) == nil {
            throw ValidationError("--admin '\(admin)' is neither HOST:PORT nor unix:/PATH.")
        }
    }

    /// The client for the daemon that the configuration is about.
    func client() throws -> AdminClient {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        return try AdminClient(loader.loadOrExit(), address: admin.flatMap { ListenAddress($0) })
    }

    /// Asks, or says on standard error why not and ends with status 1.
    func ask(_ body: (AdminClient) throws -> Void) throws {
        do {
            try body(try client())
        } catch let failure as AdminClient.Failure {
            FileHandle.standardError.write(Data("edgeprint: \(failure)\n".utf8))
            throw ExitCode(1)
        }
    }
}
