import Foundation
import Glibc

/// Reads the configuration file.
enum ConfigurationFile {
    /// The maximum size of the file.
    static let maximumBytes = 4 << 20

    /// The file's text, or `nil` if it does not exist.
    @Sendable
    static func read(_ path: String) throws(ConfigurationProblem) -> String? {
        func problem(_ message: String) -> ConfigurationProblem {
            ConfigurationProblem(place: .file(path, line: 0), key: "", message: message)
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            // Only a file that does not exist means defaults; one that cannot be accessed is an error.
            guard errno != ENOENT, errno != ENOTDIR else { return nil }
            throw problem("cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw problem("is a folder") }
        let handle: FileHandle
        let data: Data
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            data = try handle.read(upToCount: maximumBytes + 1) ?? Data()
            try handle.close()
        } catch {
            throw problem("cannot be read: \(error.localizedDescription)")
        }
        guard data.count <= maximumBytes else { throw problem("is larger than \(maximumBytes >> 20) MiB") }
        guard let text = String(validating: data, as: UTF8.self) else { throw problem("is not UTF-8") }
        return text
    }
}
