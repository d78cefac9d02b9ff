import ImagePlan

/// Decodes raw entries by a table of settings and collects all problems.
struct ConfigurationDecoder {
    private(set) var problems: [ConfigurationProblem] = []
    /// The place where each key was set, by its full path; later layers replace earlier ones.
    private(set) var places: [String: Place] = [:]

    /// Keys whose values could not be read; no further problems of these are reported.
    private var unreadable: Set<String> = []

    /// Adds a problem.
    mutating func report(_ message: String, key: String, place: Place?) {
        guard !unreadable.contains(key) else { return }
        problems.append(ConfigurationProblem(place: place, key: key, message: message))
    }

    /// Adds the problems of the file's reader.
    mutating func report(_ more: [ConfigurationProblem]) {
        problems += more
        unreadable.formUnion(more.map(\.key).filter { !$0.isEmpty })
    }

    /// Records the place of a key that has no value of its own.
    mutating func note(_ key: String, at place: Place) { places[key] = place }

    /// Decodes a map's entries into a root.
    ///
    /// - Parameters:
    ///   - prefix: the section below the table's top.
    ///   - scope: the full path of the table's top, empty for the file's.
    mutating func decode<Root>(
        _ entries: [TreeEntry],
        table: SettingTable<Root>,
        into root: inout Root,
        prefix: String = "",
        scope: String = ""
    ) {
        for entry in entries {
            let name = prefix + entry.key
            let key = scope + name
            // Dotted names are not accepted, as they would be a second way to write a key.
            if !entry.key.contains("."), let setting = table[name] {
                read(entry.value, setting, into: &root, key: key)
            } else if table.isSection(name), !entry.key.contains(".") {
                switch entry.value.content {
                case .map(let inner): decode(inner, table: table, into: &root, prefix: name + ".", scope: scope)
                case .null: break
                default: report("expected a map of keys", key: key, place: entry.value.place)
                }
            } else {
                reportUnknown(name, key: key, place: entry.place, table: table, scope: scope)
            }
        }
    }

    /// Decodes one node into a root.
    mutating func read<Root>(_ node: TreeNode, _ setting: Setting<Root>, into root: inout Root, key: String) {
        places[key] = node.place
        var found = ValueProblems()
        setting.read(node, &root, &found)
        for (path, place) in found.places { places[([key] + path).joined(separator: ".")] = place }
        for problem in found.all {
            let path = ([key] + problem.path).joined(separator: ".")
            report(problem.message, key: path, place: problem.place)
        }
    }

    private mutating func reportUnknown<Root>(
        _ name: String,
        key: String,
        place: Place,
        table: SettingTable<Root>,
        scope: String
    ) {
        guard table[name] == nil else {
            report("must be written as nested maps, without dots", key: key, place: place)
            return
        }
        let nearest = NearestName.of(name, among: table.names).map { "; did you mean \(scope)\($0)?" } ?? ""
        report("is not a known key" + nearest, key: key, place: place)
    }
}
