import ImagePlan

/// A value in the form of the configuration file.
indirect enum YAMLValue: Sendable {
    /// A number, flag or word that needs no quotes.
    case plain(String)
    /// A quoted text.
    case quoted(String)
    case list([YAMLValue])
    /// A map with ordered entries.
    case map([(String, YAMLValue)])

    /// All settings of a table with the values of a root; dotted names become nested maps.
    init<Root>(table: SettingTable<Root>, root: Root) {
        var entries: [(String, YAMLValue)] = []
        for setting in table.settings {
            guard let value = setting.write(root) else { continue }
            YAMLValue.insert(value, at: setting.name.split(separator: ".").map(String.init)[...], into: &entries)
        }
        self = .map(entries)
    }

    private static func insert(
        _ value: YAMLValue,
        at path: ArraySlice<String>,
        into entries: inout [(String, YAMLValue)]
    ) {
        guard let name = path.first else { return }
        let rest = path.dropFirst()
        if rest.isEmpty {
            entries.append((name, value))
        } else if let index = entries.firstIndex(where: { $0.0 == name }), case .map(var inner) = entries[index].1 {
            insert(value, at: rest, into: &inner)
            entries[index].1 = .map(inner)
        } else {
            var inner: [(String, YAMLValue)] = []
            insert(value, at: rest, into: &inner)
            entries.append((name, .map(inner)))
        }
    }
}

extension YAMLValue {
    /// The document's text, indented by two spaces per level.
    var document: String {
        guard case .map(let entries) = self else { return inline + "\n" }
        return YAMLValue.lines(entries, indentation: "").joined(separator: "\n") + "\n"
    }

    private static func lines(_ entries: [(String, YAMLValue)], indentation: String) -> [String] {
        entries.flatMap { name, value in
            let key = indentation + YAMLValue.key(name) + ":"
            if case .map(let inner) = value, !inner.isEmpty {
                return [key] + lines(inner, indentation: indentation + "  ")
            }
            return [key + " " + value.inline]
        }
    }

    /// The value on one line.
    private var inline: String {
        switch self {
        case .plain(let text): text
        case .quoted(let text): YAMLValue.quote(text)
        case .list(let values): "[" + values.map(\.inline).joined(separator: ", ") + "]"
        case .map(let entries):
            "{" + entries.map { "\(YAMLValue.key($0)): \($1.inline)" }.joined(separator: ", ") + "}"
        }
    }

    private static func key(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "-_".utf8.contains(byte)
        }
        // Keys that look like numbers or flags need no quotes, as the reader treats all scalars as text.
        return isPlain && !name.isEmpty && !name.hasPrefix("-") ? name : quote(name)
    }

    /// A double-quoted scalar (YAML 1.2.2 §7.3.1, of which JSON strings are a subset), with `${` escaped against expansion.
    private static func quote(_ text: String) -> String { JSONText.quoted(text.replacing("${", with: "$${")) }
}

extension Configuration {
    /// The configuration as a YAML file, secrets redacted.
    var yaml: String { YAMLValue(table: ConfigurationSchema.root, root: self).document }
}
