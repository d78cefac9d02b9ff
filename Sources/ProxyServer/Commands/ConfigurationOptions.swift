import ArgumentParser
import Foundation

/// The option that selects the configuration, shared by all commands.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Configuration file (default: EDGEPRINT_CONFIG, else \(ConfigurationLoader.standardPath)).",
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?
}

extension ConfigurationLoader {
    /// Loads the configuration, or writes one line per problem to standard error and exits with status 1.
    func loadOrExit() throws -> Configuration { try loadWithOriginsOrExit().configuration }

    /// Like `loadOrExit`, and keeps the place where each value was set.
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
