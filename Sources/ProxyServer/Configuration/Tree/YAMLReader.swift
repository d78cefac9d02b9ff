import Yams

/// Parses YAML into raw nodes with their lines.
struct YAMLReader {
    /// The maximum number of nodes with aliases expanded, as nested aliases grow exponentially.
    private static let maximumNodes = 20_000

    private let path: String
    private let expansion: VariableExpansion
    private let files: ValueFiles
    private var problems: [ConfigurationProblem] = []
    private var repetitions: [ConfigurationProblem] = []
    private var nodes = 0

    private init(path: String, variables: [String: String], files: ValueFiles) {
        self.path = path
        self.files = files
        expansion = VariableExpansion(variables: variables)
    }

    /// Parses a document whose root is a map.
    ///
    /// - Returns: the entries, which are empty for an empty document, and the problems of single values.
    /// - Throws: problems of the whole document: invalid YAML or a repeated key.
    static func read(
        _ text: String,
        path: String,
        variables: [String: String],
        files: ValueFiles
    ) throws(ConfigurationError) -> (entries: [TreeEntry], problems: [ConfigurationProblem]) {
        let (root, repetition): (Node?, (any Error)?)
        do {
            // The schema decides the types of scalars.
            (root, repetition) = try RepeatedKeys.compose(text)
        } catch {
            throw ConfigurationError(problems: problems(of: error, text: text, path: path))
        }
        guard let root else { return ([], []) }
        var reader = YAMLReader(path: path, variables: variables, files: files)
        let node = reader.convert(root, key: "")
        if let repetition {
            let found = reader.repetitions
            throw ConfigurationError(problems: found.isEmpty ? problems(of: repetition, text: text, path: path) : found)
        }
        switch node.content {
        case .map(let entries): return (entries, reader.problems)
        case .null: return ([], reader.problems)
        default:
            let message = "a configuration must be a map of keys"
            throw ConfigurationError(problems: [ConfigurationProblem(place: node.place, key: "", message: message)])
        }
    }

    private mutating func convert(_ node: Node, key: String) -> TreeNode {
        let place = Place.file(path, line: node.mark?.line ?? 0)
        nodes += 1
        guard nodes <= YAMLReader.maximumNodes else {
            if nodes == YAMLReader.maximumNodes + 1 {
                let message = "the file contains more than \(YAMLReader.maximumNodes) values"
                problems.append(ConfigurationProblem(place: place, key: key, message: message))
            }
            return TreeNode(content: .null, place: place)
        }
        switch node {
        case .scalar(let scalar): return TreeNode(content: content(scalar, key: key, place: place), place: place)
        case .sequence(let sequence):
            return TreeNode(content: .list(sequence.map { convert($0, key: key) }), place: place)
        case .mapping(let mapping): return TreeNode(content: .map(entries(mapping, key: key)), place: place)
        case .alias: return TreeNode(content: .null, place: place)
        }
    }

    private mutating func entries(_ mapping: Node.Mapping, key: String) -> [TreeEntry] {
        var entries: [TreeEntry] = []
        var names: Set<String> = []
        for (name, value) in mapping {
            let place = Place.file(path, line: name.mark?.line ?? 0)
            guard case .scalar(let scalar) = name else {
                problems.append(ConfigurationProblem(place: place, key: key, message: "a key must be a plain name"))
                continue
            }
            let name = RepeatedKeys.name(scalar.string)
            let inner = key.isEmpty ? name : "\(key).\(name)"
            if !names.insert(name).inserted {
                repetitions.append(ConfigurationProblem(place: place, key: inner, message: "is repeated"))
            }
            entries.append(TreeEntry(key: name, place: place, value: convert(value, key: inner)))
        }
        return entries
    }

    private mutating func content(_ scalar: Node.Scalar, key: String, place: Place) -> TreeNode.Content {
        let tag = scalar.tag.description
        guard tag == "!file" else {
            if YAMLReader.isForeign(tag) {
                let message = "\(tag) is not a known tag; !file PATH reads a value from a file"
                problems.append(ConfigurationProblem(place: place, key: key, message: message))
            }
            return plainContent(scalar, key: key, place: place)
        }
        do {
            return try files.content(of: expansion.expand(scalar.string))
        } catch {
            problems.append(ConfigurationProblem(place: place, key: key, message: "\(error)"))
            return .scalar("")
        }
    }

    /// Whether a tag is present and not one of YAML's own.
    private static func isForeign(_ tag: String) -> Bool {
        !["", "!", "?"].contains(tag) && !tag.hasPrefix("tag:yaml.org,2002:")
    }

    private mutating func plainContent(_ scalar: Node.Scalar, key: String, place: Place) -> TreeNode.Content {
        if scalar.style == .plain, ["", "~", "null", "Null", "NULL"].contains(scalar.string) { return .null }
        do throws(VariableExpansion.BadExpansion) {
            return .scalar(try expansion.expand(scalar.string))
        } catch {
            problems.append(ConfigurationProblem(place: place, key: key, message: error.description))
            return .scalar(scalar.string)
        }
    }

    private static func problems(of error: any Error, text: String, path: String) -> [ConfigurationProblem] {
        func problem(_ message: String, _ line: Int, key: String = "") -> ConfigurationProblem {
            ConfigurationProblem(place: .file(path, line: line), key: key, message: message)
        }
        switch error as? YamlError {
        case .scanner(let context, let message, let mark, _), .parser(let context, let message, let mark, _),
            .composer(let context, let message, let mark, _):
            let words = [context?.text, message].compactMap { $0 }.joined(separator: ", ")
            let hint = YAMLSlip(text, line: mark.line).map { "; \($0.advice)" } ?? ""
            return [problem("is not valid YAML: \(words)\(hint)", mark.line)]
        case .duplicatedKeysInMapping(let keys, let context):
            return keys.map { problem("is repeated in one map", context.mark.line, key: $0) }
        case .reader(let message, _, _, _): return [problem("is not valid YAML: \(message)", 0)]
        default: return [problem("is not valid YAML", 0)]
        }
    }
}
