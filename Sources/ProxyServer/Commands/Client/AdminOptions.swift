import ArgumentParser
import Foundation
import HTTPKit

/// The options of commands that query a running daemon.
struct AdminOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp("Address of the admin listener; overrides admin.listen.", valueName: "host:port|unix:/path")
    )
    var admin: String?

    func validate() throws {
        if let admin, ListenAddress(admin) == nil {
            throw ValidationError("--admin '\(admin)' is neither HOST:PORT nor unix:/PATH.")
        }
    }

    /// A client for the daemon with this configuration.
    ///
    /// - Parameter timeout: the milliseconds for a request and its response.
    private func client(of configuration: Configuration? = nil, timeout: Int = AdminClient.timeout) throws
        -> AdminClient
    {
        let configuration = try configuration ?? self.configuration()
        return try AdminClient(configuration, address: admin.flatMap { ListenAddress($0) }, timeout: timeout)
    }

    /// Loads the daemon's configuration; ends the process with its errors if it is invalid.
    func configuration() throws -> Configuration {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        return try loader.loadOrExit()
    }

    /// Runs requests; a failure is written to standard error and exits with status 1.
    ///
    /// - Parameter configuration: the daemon's; `nil` to load it.
    func ask(
        of configuration: Configuration? = nil,
        timeout: Int = AdminClient.timeout,
        _ body: (AdminClient) throws -> Void
    ) throws {
        do {
            try body(try client(of: configuration, timeout: timeout))
        } catch let failure as AdminClient.Failure {
            FileHandle.standardError.write(Data("edgeprint: \(failure)\n".utf8))
            throw ExitCode(1)
        }
    }
}
