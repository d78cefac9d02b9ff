import ImagePlan

/// Lays `EDGEPRINT_` variables over the file: `cache.memory` is `EDGEPRINT_CACHE_MEMORY`.
///
/// `EDGEPRINT_ADMIN_TOKEN_FILE` names a file that holds the value, as container platforms hand out secrets.
struct EnvironmentLayer {
    /// What all names begin with.
    static let prefix = "EDGEPRINT_"

    /// What the variable of a file ends with.
    private static let fileSuffix = "_FILE"

    private let environment: [String: String]
    private let files: ValueFiles

    /// Takes the process's variables.
    init(_ environment: [String: String], files: ValueFiles) {
        self.environment = environment
        self.files = files
    }

    /// The variable of a key.
    static func name(of key: String) -> String {
        prefix + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }

    /// Whether a variable is one of those that Kubernetes gives every container about a service of the name `edgeprint`.
    private static func isServiceLink(_ name: String) -> Bool {
        let rest = name.dropFirst(prefix.utf8.count)
        if rest.hasPrefix("SERVICE_HOST") || rest.hasPrefix("SERVICE_PORT") { return true }
        guard rest.hasPrefix("PORT") else { return false }
        let parts = rest.dropFirst(4).split(separator: "_", omittingEmptySubsequences: false)
        return parts.count == 1 && parts[0].isEmpty
            || parts.count >= 3 && parts[0].isEmpty && UInt16(parts[1]) != nil
                && ["TCP", "UDP", "SCTP"].contains(parts[2])
    }

    /// Reads every variable; an unknown one is a problem, as it is most likely a slip.
    func apply(to configuration: inout Configuration, _ decoder: inout ConfigurationDecoder) {
        let settings = Dictionary(ConfigurationSchema.root.settings.map { (EnvironmentLayer.name(of: $0.name), $0) }) {
            first,
            _ in first
        }
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(EnvironmentLayer.prefix) {
            guard name != "EDGEPRINT_CONFIG", !Self.isServiceLink(name) else { continue }
            let place = Place.environment(name)
            let isFile = settings[name] == nil && name.hasSuffix(Self.fileSuffix)
            let plainName = isFile ? String(name.dropLast(Self.fileSuffix.utf8.count)) : name
            guard let setting = settings[plainName] else {
                let hint = NearestName.hint(name, among: settings.keys.sorted())
                decoder.report("is not a known variable" + hint, key: "", place: place)
                continue
            }
            guard setting.takesEnvironment else {
                decoder.report("is a map, which only the file can set", key: setting.name, place: place)
                continue
            }
            if isFile, environment[plainName] != nil {
                decoder.report("is said twice: \(plainName) is set, too", key: setting.name, place: place)
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
