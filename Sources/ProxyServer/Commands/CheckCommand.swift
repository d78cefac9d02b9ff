import ArgumentParser
import Foundation

/// `edgeprint check`: reads the configuration as `serve` would, and prints what it comes to.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Prints the effective configuration, secrets redacted; fails where it is wrong."
    )

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let configuration = try loader.loadOrExit()
        FileHandle.standardOutput.write(Data(configuration.yaml.utf8))
    }
}
