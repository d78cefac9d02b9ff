/// Lays `EDGEPRINT_` variables over the file: `cache.memory` is `EDGEPRINT_CACHE_MEMORY`.
struct EnvironmentLayer {
    /// What all names begin with.
    static let prefix = "EDGEPRINT_"

    private let environment: [String: String]

    /// Takes the process's variables.
    init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// The variable of a key.
    static func name(of key: String) -> String {
        prefix + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }

    /// Reads every variable; an unknown one is a problem, as it is most likely a slip.
    func apply(to configuration: inout Configuration, _ decoder: inout ConfigurationDecoder) {
        let settings = Dictionary(ConfigurationSchema.root.settings.map { (EnvironmentLayer.name(of: $0.name), $0) }) {
            first,
            _ in first
        }
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(EnvironmentLayer.prefix) {
            guard name != "EDGEPRINT_CONFIG" else { continue }
            let place = Place.environment(name)
            guard let setting = settings[name] else {
                let nearest = NearestName.of(name, among: settings.keys.sorted()).map { "; did you mean \($0)?" } ?? ""
                decoder.report("is not a known variable" + nearest, key: "", place: place)
                continue
            }
            guard setting.takesEnvironment else {
                decoder.report("is a map, which only the file can set", key: setting.name, place: place)
                continue
            }
            let node = RawNode(content: .scalar(value), place: place)
            decoder.read(node, setting, into: &configuration, key: setting.name)
        }
    }
}
