/// The keys of one level of the configuration, in the order in which they are printed.
struct SettingTable<Root>: Sendable {
    let settings: [Setting<Root>]
    private let index: [String: Int]

    /// Creates a table; names must be unique.
    init(_ settings: [Setting<Root>]) {
        self.settings = settings
        index = Dictionary(settings.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    subscript(name: String) -> Setting<Root>? { index[name].map { settings[$0] } }

    /// Whether a name is a section that contains keys.
    func isSection(_ name: String) -> Bool {
        settings.contains { $0.name.hasPrefix(name + ".") }
    }

    /// The names of all keys and sections.
    var names: [String] {
        var names: [String] = []
        for setting in settings {
            for dot in setting.name.indices where setting.name[dot] == "." {
                let section = String(setting.name[..<dot])
                if !names.contains(section) { names.append(section) }
            }
            names.append(setting.name)
        }
        return names
    }
}
