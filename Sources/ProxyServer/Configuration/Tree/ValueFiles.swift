/// Reads values that stand in files of their own, as secrets do: `!file PATH` in the file, `…_FILE` in the environment.
struct ValueFiles: Sendable {
    /// The largest file that a value is read from.
    static let maximumBytes = 64 << 10

    /// What relative paths begin at; empty for the process's folder.
    let folder: String
    /// Reads a file's text, `nil` where there is no such file.
    let readFile: @Sendable (String) throws(ConfigurationProblem) -> String?

    /// Why there is no value; never tells what the file holds.
    struct UnreadableFile: Error, CustomStringConvertible {
        var description: String
    }

    /// The value: a text, or a list of the lines where there are several.
    ///
    /// The line end behind the last line is none of the value.
    func content(of path: String) throws(UnreadableFile) -> TreeNode.Content {
        guard !path.isEmpty else { throw UnreadableFile(description: "!file needs a path") }
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
