import LinuxSystem

/// Merges the configuration's layers: defaults, file, environment and flags; later layers override earlier ones.
struct ConfigurationLoader {
    /// The values of command-line flags.
    struct Flags: Sendable, Equatable {
        /// `--config`.
        var config: String?
        /// `--listen`.
        var listen: String?
        /// `--admin`.
        var admin: String?
        /// `--cache-path`.
        var cachePath: String?
    }

    /// The default path of the file.
    static let standardPath = "/etc/edgeprint/edgeprint.yaml"

    private let variables: [String: Secret]
    let flags: Flags
    /// Returns the text of a value's file, or `nil` if it does not exist; replaceable in tests.
    private let readFile: @Sendable (String) throws(ConfigurationProblem) -> String?
    /// The same for the configuration file.
    private var readConfiguration: @Sendable (String) throws(ConfigurationProblem) -> String?

    /// Creates a loader over the layers.
    init(
        environment: [String: String],
        flags: Flags = Flags(),
        readFile: (@Sendable (String) throws(ConfigurationProblem) -> String?)? = nil
    ) {
        self.init(secrets: environment.mapValues { Secret($0) }, flags: flags, readFile: readFile)
    }

    /// Creates a loader over the layers, with an environment that the process no longer has itself.
    init(
        secrets environment: [String: Secret],
        flags: Flags = Flags(),
        readFile: (@Sendable (String) throws(ConfigurationProblem) -> String?)? = nil
    ) {
        variables = environment
        self.flags = flags
        if let readFile {
            self.readFile = readFile
            readConfiguration = readFile
        } else {
            self.readFile = ConfigurationFile.read
            readConfiguration = ConfigurationFile.readOnce
        }
    }

    /// The loader for a reload, which reads no pipe: its content has been read, and a daemon must not wait for more.
    var forReload: ConfigurationLoader {
        var loader = self
        loader.readConfiguration = readFile
        return loader
    }

    /// The environment variables with their values, which may be secret.
    var environment: [String: String] { variables.mapValues(\.value) }

    /// Loads and validates.
    ///
    /// - Throws: all problems of all layers.
    func load() throws(ConfigurationError) -> Configuration { try loadWithOrigins().configuration }

    /// Loads and validates, and keeps the place where each value was set.
    ///
    /// - Throws: as `load()` does.
    func loadWithOrigins() throws(ConfigurationError) -> LoadedConfiguration {
        var decoder = ConfigurationDecoder()
        var configuration = Configuration()
        let read = try fileEntries(&decoder)
        let entries = read ?? []
        decoder.decode(entries, table: ConfigurationSchema.root, into: &configuration)
        EnvironmentLayer(environment, files: ValueFiles(folder: "", readFile: readFile)).apply(
            to: &configuration,
            &decoder
        )
        apply(flags, to: &configuration, &decoder)
        // Sources and sites inherit limits, timeouts and qualities, so they are decoded last.
        if let sources = entries.last(where: { $0.key == "sources" }) {
            configuration.sources = SourceReader(configuration: configuration).decode(sources.value, &decoder)
        }
        if let sites = entries.last(where: { $0.key == "sites" }) {
            var inherited = configuration
            inherited.sources = []
            configuration.sites = SiteReader(configuration: inherited).decode(sites.value, &decoder)
        }
        // Rules refer to sources and presets, and apply to all sites.
        if let rules = entries.last(where: { $0.key == "rules" }) {
            configuration.rules = RuleReader(configuration: configuration).decode(rules.value, &decoder)
            for index in configuration.sites.indices {
                configuration.sites[index].settings.rules = configuration.rules
            }
        }
        ConfigurationChecks.check(configuration, &decoder)
        guard decoder.problems.isEmpty else { throw ConfigurationError(problems: decoder.problems.inOrder) }
        return LoadedConfiguration(configuration: configuration, places: decoder.places, hasFile: read != nil)
    }

    /// The entries of the configuration file; `nil` if there is none.
    private func fileEntries(_ decoder: inout ConfigurationDecoder) throws(ConfigurationError) -> [TreeEntry]? {
        let named = flags.config ?? environment["EDGEPRINT_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let path = named ?? ConfigurationLoader.standardPath
        let text: String?
        do throws(ConfigurationProblem) {
            text = try readConfiguration(path)
        } catch {
            throw ConfigurationError(problems: [error])
        }
        guard let text else {
            guard named != nil else { return nil }
            let problem = ConfigurationProblem(place: .file(path, line: 0), key: "", message: "there is no such file")
            throw ConfigurationError(problems: [problem])
        }
        let (entries, problems) = try YAMLReader.read(
            text,
            path: path,
            variables: environment,
            files: ValueFiles(folder: Self.folder(of: path), readFile: readFile)
        )
        decoder.report(problems)
        return entries
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
    }

    private func apply(_ flags: Flags, to configuration: inout Configuration, _ decoder: inout ConfigurationDecoder) {
        let values = [
            ("--listen", "listen", flags.listen), ("--admin", "admin.listen", flags.admin),
            ("--cache-path", "cache.path", flags.cachePath),
        ]
        for (flag, key, value) in values {
            guard let value, let setting = ConfigurationSchema.root[key] else { continue }
            let node = TreeNode(content: .scalar(value), place: .flag(flag))
            decoder.read(node, setting, into: &configuration, key: key)
        }
    }
}
