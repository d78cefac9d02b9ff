import Foundation

/// Writes the output of commands.
enum StandardOutput {
    /// Writes a text.
    ///
    /// - Throws: an error if the text cannot be written, as on a full disk.
    static func write(_ text: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
