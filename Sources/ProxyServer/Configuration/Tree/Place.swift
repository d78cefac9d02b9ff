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
