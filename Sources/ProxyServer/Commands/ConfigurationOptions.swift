import ArgumentParser
import Foundation

/// The flag that all commands share: which configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration; else EDGEPRINT_CONFIG, else \(ConfigurationLoader.standardPath), else defaults.",
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?
}

extension ConfigurationLoader {
    /// Loads, or writes one line a problem to standard error and ends with status 1.
    func loadOrExit() throws -> Configuration { try loadWithOriginsOrExit().configuration }

    /// As `loadOrExit`, and keeps who said what.
    func loadWithOriginsOrExit() throws -> LoadedConfiguration {
        do {
            return try loadWithOrigins()
        } catch let error {
            for problem in error.problems {
                FileHandle.standardError.write(Data("edgeprint: \(problem)\n".utf8))
            }
            throw ExitCode(1)
        }
    }
}
