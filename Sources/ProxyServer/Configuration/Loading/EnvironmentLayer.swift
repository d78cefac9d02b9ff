import ImagePlan

/// Overrides settings by `EDGEPRINT_` variables: `cache.memory` is `EDGEPRINT_CACHE_MEMORY`.
///
/// `EDGEPRINT_ADMIN_TOKEN_FILE` names a file that contains the value, as container platforms provide secrets.
struct EnvironmentLayer {
    /// The prefix of all names.
    static let prefix = "EDGEPRINT_"

    /// The suffix of variables that name a file.
    private static let fileSuffix = "_FILE"

    private let environment: [String: String]
    private let files: ValueFiles

    /// Creates a layer from a process's environment.
    init(_ environment: [String: String], files: ValueFiles) {
        self.environment = environment
        self.files = files
    }

    /// The name of a key's variable.
    static func name(of key: String) -> String {
        prefix + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }

    /// Whether a variable is one that Kubernetes sets in every container for a service named `edgeprint`.
    private static func isServiceLink(_ name: String) -> Bool {
        let rest = name.dropFirst(prefix.utf8.count)
        if rest.hasPrefix("SERVICE_HOST") || rest.hasPrefix("SERVICE_PORT") { return true }
        guard rest.hasPrefix("PORT") else { return false }
        let parts = rest.dropFirst(4).split(separator: "_", omittingEmptySubsequences: false)
        return parts.count == 1 && parts[0].isEmpty
            || parts.count >= 3 && parts[0].isEmpty && UInt16(parts[1]) != nil
                && ["TCP", "UDP", "SCTP"].contains(parts[2])
    }

    /// Applies every variable; an unknown one is a problem, because it is probably misspelt.
    func apply(to configuration: inout Configuration, _ decoder: inout ConfigurationDecoder) {
        // The table of all names takes a millisecond, and most often there is none.
        let names = environment.keys.filter { $0.hasPrefix(EnvironmentLayer.prefix) && $0 != "EDGEPRINT_CONFIG" }
        guard !names.isEmpty else { return }
        let settings = Dictionary(ConfigurationSchema.root.settings.map { (EnvironmentLayer.name(of: $0.name), $0) }) {
            first,
            _ in first
        }
        for name in names.sorted() where !Self.isServiceLink(name) {
            guard let value = environment[name] else { continue }
            let place = Place.environment(name)
            let isFile = settings[name] == nil && name.hasSuffix(Self.fileSuffix)
            let plainName = isFile ? String(name.dropLast(Self.fileSuffix.utf8.count)) : name
            guard let setting = settings[plainName] else {
                let hint = NearestName.hint(name, among: settings.keys.sorted())
                decoder.report("is not a known variable" + hint, key: "", place: place)
                continue
            }
            guard setting.takesEnvironment else {
                decoder.report("is a map, which can only be set in the file", key: setting.name, place: place)
                continue
            }
            if isFile, environment[plainName] != nil {
                decoder.report("is set twice: \(plainName) is set, too", key: setting.name, place: place)
                continue
            }
            do throws(ValueFiles.UnreadableFile) {
                let content = isFile ? try files.content(of: value) : .scalar(value)
                decoder.read(TreeNode(content: content, place: place), setting, into: &configuration, key: setting.name)
            } catch {
                decoder.report(error.description, key: setting.name, place: place)
            }
        }
    }
}
