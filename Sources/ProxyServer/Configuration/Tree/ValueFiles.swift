/// Reads values from separate files, such as secrets: `!file PATH` in the configuration, `…_FILE` in the environment.
struct ValueFiles: Sendable {
    /// The maximum size of a value's file.
    static let maximumBytes = 64 << 10

    /// The base of relative paths; empty for the working directory.
    let folder: String
    /// Returns a file's text, or `nil` if it does not exist.
    let readFile: @Sendable (String) throws(ConfigurationProblem) -> String?

    /// The reason why a value cannot be read; never contains the file's content.
    struct UnreadableFile: Error, CustomStringConvertible {
        var description: String
    }

    /// The value: a text, or a list if the file has several lines.
    ///
    /// A line end after the last line is not part of the value.
    func content(of path: String) throws(UnreadableFile) -> TreeNode.Content {
        guard !path.isEmpty else { throw UnreadableFile(description: "!file requires a path") }
        let full = path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
        let text: String?
        do throws(ConfigurationProblem) {
            text = try readFile(full)
        } catch {
            throw UnreadableFile(description: "\(full) \(error.message)")
        }
        guard let text else { throw UnreadableFile(description: "\(full): there is no such file") }
        guard text.utf8.count <= Self.maximumBytes else {
            throw UnreadableFile(description: "\(full) is larger than \(Self.maximumBytes >> 10) KiB")
        }
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        if lines.last == "" { lines.removeLast() }
        guard let first = lines.first, lines.contains(where: { !$0.isEmpty }) else {
            throw UnreadableFile(description: "\(full) is empty")
        }
        return lines.count == 1
            ? .scalar(first) : .list(lines.map { TreeNode(content: .scalar($0), place: .file(full, line: 0)) })
    }
}
