import Glibc
import LinuxSystem

/// A folder of its own for a test, removed with everything in it when the last owner lets go.
package final class TemporaryFolder: Sendable {
    /// Absolute, without a trailing slash.
    package let path: String

    /// Creates the folder below `$TMPDIR`, else `/tmp`.
    ///
    /// - Throws: `Errno` when it cannot be created.
    package init() throws {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/edgeprint-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Errno.current("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.removeTree(path)
    }

    /// Links are removed and not followed.
    private static func removeTree(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unsafe unlink(path)
            return
        }
        for name in names(in: path) { removeTree("\(path)/\(name)") }
        unsafe rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
