@testable import ProxyServer

/// Loads a configuration from texts, with only the given files and without the process's environment.
func load(
    _ yaml: String? = nil,
    environment: [String: String] = [:],
    flags: ConfigurationLoader.Flags = ConfigurationLoader.Flags(),
    files: [String: String] = [:]
) throws(ConfigurationError) -> Configuration {
    var flags = flags
    if yaml != nil { flags.config = "test.yaml" }
    let loader = ConfigurationLoader(environment: environment, flags: flags) { path throws(ConfigurationProblem) in
        path == "test.yaml" ? yaml : files[path]
    }
    return try loader.load()
}

/// The problems of a configuration, one line each.
func problems(
    _ yaml: String? = nil,
    environment: [String: String] = [:],
    flags: ConfigurationLoader.Flags = ConfigurationLoader.Flags()
) -> [String] {
    do {
        _ = try load(yaml, environment: environment, flags: flags)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}
