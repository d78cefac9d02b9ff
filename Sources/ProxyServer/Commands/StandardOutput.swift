import Foundation

/// What commands print.
enum StandardOutput {
    /// Writes a text.
    ///
    /// - Throws: where nobody can take it, a full disk say.
    static func write(_ text: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
