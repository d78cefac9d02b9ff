import ArgumentParser
import Foundation

/// `edgeprint check`: reads the configuration as `serve` would, and prints what it comes to.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Prints the effective configuration, secrets redacted; fails where it is wrong.",
        discussion: """
            Defaults, the file and EDGEPRINT_ variables put together, as a file that would say the same. Every problem \
            is printed with its key, and with its line or variable.

            EXAMPLES
              edgeprint check
              edgeprint check --config /etc/edgeprint/edgeprint.yaml
              EDGEPRINT_CACHE_MEMORY=1GiB edgeprint check | grep memory

            EXIT STATUS
              0   the configuration is right
              1   it is wrong; what is wrong stands on standard error, a line each
              64  the command line is wrong
            """
    )

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let configuration = try loader.loadOrExit()
        FileHandle.standardOutput.write(Data(configuration.yaml.utf8))
    }
}
