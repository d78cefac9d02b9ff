import ArgumentParser
import Foundation

/// `edgeprint check`: validates the configuration and prints it.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Prints the effective configuration, secrets redacted, or its errors.",
        discussion: """
            Merges defaults, the file and EDGEPRINT_ variables, and prints the result as a configuration file. Every \
            error is printed with its key and its line or variable. A rule that no request can reach is a warning on standard \
            error, as are sizes that add up to more than limits.memory, a quota of originals below limits.source-bytes, and \
            limits.pixels or limits.animation below 0.1MP.

            With --schema prints the JSON Schema of the file, by which editors complete and check it. A file names its \
            schema in its first line: # yaml-language-server: $schema=/usr/share/edgeprint/edgeprint.schema.json

            EXAMPLES
              edgeprint check
              edgeprint check --config /etc/edgeprint/edgeprint.yaml
              EDGEPRINT_CACHE_MEMORY=1GiB edgeprint check | grep memory
              edgeprint check --schema > edgeprint.schema.json

            EXIT STATUS
                0   the configuration is valid
                1   it is not; standard error has one line per error
                64  invalid command line
            """
    )

    @Flag(help: "Print the JSON Schema of the configuration file instead.")
    var schema = false

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        guard !schema else { return try StandardOutput.write(ConfigurationSchemaDocument.json.document) }
        let flags = ConfigurationLoader.Flags(config: options.config)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let loaded = try loader.loadWithOriginsOrExit()
        let configuration = loaded.configuration
        let dead = RuleReach(configuration: configuration).dead.map { rule in
            (key: "rules[\(rule.index)]", message: "can never apply: \(rule.reason)")
        }
        let small = SmallPixelLimit.all(in: configuration).map { (key: $0.key, message: $0.reason) }
        for (key, message) in dead + TierChecks.warnings(configuration) + small {
            let place = loaded.places[key].map { "\($0): " } ?? ""
            StandardError.write("edgeprint: warning: \(place)\(key): \(message)\n")
        }
        if let warning = configuration.memoryPlan.warning {
            StandardError.write("edgeprint: warning: memory: \(warning)\n")
        }
        FileHandle.standardOutput.write(Data(configuration.yaml.utf8))
    }
}
