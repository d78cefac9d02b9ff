/// A problem of the configuration.
struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its place; `nil` for a key that is missing.
    var place: Place?
    /// The full path of the key, such as `sources.photos.ttl`; empty for the file as a whole.
    var key: String
    /// The problem, in a clause that contains no secret.
    var message: String

    /// `edgeprint.yaml:12: cache.memroy: is not a known key; did you mean cache.memory?`.
    var description: String {
        [place?.description, key.isEmpty ? nil : key, message].compactMap { $0 }.joined(separator: ": ")
    }
}

extension [ConfigurationProblem] {
    /// The problems of the file by line, followed by the others in order of discovery.
    var inOrder: [ConfigurationProblem] {
        func line(_ problem: ConfigurationProblem) -> Int {
            if case .file(_, let line) = problem.place { line } else { .max }
        }
        return enumerated().sorted { (line($0.element), $0.offset) < (line($1.element), $1.offset) }.map(\.element)
    }
}

/// All problems of a configuration, those of the file ordered by line.
struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one.
    var problems: [ConfigurationProblem]

    var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The place where a configuration value was set.
enum Place: Sendable, Hashable, CustomStringConvertible {
    /// A line of the file, from 1; 0 for the file as a whole.
    case file(String, line: Int)
    /// An environment variable.
    case environment(String)
    /// A command-line flag.
    case flag(String)

    var description: String {
        switch self {
        case .file(let path, line: 0): path
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let name): "environment \(name)"
        case .flag(let name): "flag \(name)"
        }
    }
}
