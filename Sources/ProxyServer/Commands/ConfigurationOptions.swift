import ArgumentParser
import Foundation

/// The flag that all commands share: which configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "The configuration file; else EDGEPRINT_CONFIG, else \(ConfigurationLoader.standardPath).")
    var config: String?
}

extension ConfigurationLoader {
    /// Loads, or writes one line a problem to standard error and ends with status 1.
    func loadOrExit() throws -> Configuration {
        do {
            return try load()
        } catch let error {
            for problem in error.problems {
                FileHandle.standardError.write(Data("edgeprint: \(problem)\n".utf8))
            }
            throw ExitCode(1)
        }
    }
}
