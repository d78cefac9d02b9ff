import CLinux
import Glibc
import LinuxSystem

/// Reads the configuration file, and the files of single values.
enum ConfigurationFile {
    /// The maximum size of a file.
    static let maximumBytes = 4 << 20
    private static let chunk = 64 << 10

    /// The file's text, or `nil` if it does not exist; does not wait, as for the writer of a pipe.
    @Sendable
    static func read(_ path: String) throws(ConfigurationProblem) -> String? { try text(path, acceptsPipe: false) }

    /// As `read`, also from a pipe or a terminal, such as `/dev/stdin`, whose content can be read once.
    @Sendable
    static func readOnce(_ path: String) throws(ConfigurationProblem) -> String? { try text(path, acceptsPipe: true) }

    private static func text(_ path: String, acceptsPipe: Bool) throws(ConfigurationProblem) -> String? {
        func problem(_ message: String) -> ConfigurationProblem {
            ConfigurationProblem(place: .file(path, line: 0), key: "", message: message)
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            // Only a file that does not exist means defaults; one that cannot be accessed is an error.
            guard errno != ENOENT, errno != ENOTDIR else { return nil }
            throw problem("cannot be read: \(Errno.text(of: errno))")
        }
        let waits = acceptsPipe && [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
        let bytes: [UInt8]?
        do throws(Errno) {
            let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK)
            let file = SharedDescriptor(owning: try checked("open") { unsafe edge_open(path, flags, 0) })
            try checked("fstat") { unsafe fstat(file.number, &status) }
            // Without waiting, a FIFO reads as empty until it has a writer. A device, such as /dev/null, says what it has.
            let isReadable = waits || [S_IFREG, S_IFCHR].contains(status.st_mode & S_IFMT)
            bytes = try isReadable ? content(of: file) : nil
        } catch {
            throw problem("cannot be read: \(Errno.text(of: error.code))")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw problem("is a folder") }
        guard let bytes else { throw problem("is a pipe or another special file; it must be a regular file") }
        guard bytes.count <= maximumBytes else { throw problem("is larger than \(maximumBytes >> 20) MiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw problem("is not UTF-8") }
        return text
    }

    /// The bytes of a file to its end; no more than one over the maximum are needed.
    private static func content(of file: SharedDescriptor) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: chunk)
        while bytes.count <= maximumBytes {
            let count = try checked("read") { unsafe Glibc.read(file.number, &buffer, chunk) }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
