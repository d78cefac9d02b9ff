import Glibc

/// A new empty folder, deleted with its contents when its last owner releases it.
package final class TemporaryFolder: Sendable {
    /// The absolute path, without a trailing slash.
    package let path: String

    /// The reason the folder could not be created.
    package struct Failure: Error {
        /// The value of `errno`.
        package let code: CInt
    }

    /// Creates the folder in another one; by default in `TMPDIR`, or `/tmp`.
    package init(in parent: String? = nil) throws {
        let parent = parent ?? TestEnvironment.value("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/edgeprint-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Failure(code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.delete(path)
    }

    /// Deletes a file, or a folder with its contents, without following symbolic links.
    package static func delete(_ path: String) {
        if unsafe unlink(path) == 0 || errno == ENOENT { return }
        for name in names(in: path) { delete("\(path)/\(name)") }
        unsafe rmdir(path)
    }

    /// The sorted names in a folder, without `.` and `..`; empty if it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
