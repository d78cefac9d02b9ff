import CLinux
import Glibc
import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem

/// Queries files, folders and addresses.
extension MachineProbe {
    /// The maximum bytes of a text.
    private static let longestText = 1 << 20

    func text(_ path: String) -> String? {
        let descriptor = unsafe edge_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while text.count < Self.longestText {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            text += chunk[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    func status(_ path: String) -> FileStatus? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        let kind: FileStatus.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFSOCK: .socket
            default: .other
            }
        return FileStatus(kind: kind, mode: status.st_mode & 0o7777)
    }

    func accessError(_ path: String, _ access: FileAccess) -> Errno? {
        let mode =
            switch access {
            case .read: R_OK
            case .write: W_OK
            case .execute: X_OK
            }
        // Checked for the effective user, like the daemon's own calls.
        return unsafe faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? nil : .current("access")
    }

    func fileSystem(_ path: String) -> FileSystemStatus? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let block = Int(status.f_frsize)
        return FileSystemStatus(
            type: unsafe edge_file_system_type(path),
            freeBytes: Int(clamping: status.f_bavail).multipliedSaturated(block),
            freeFiles: status.f_files == 0 ? nil : Int(clamping: status.f_favail),
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0
        )
    }

    func realPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    func cacheFolder(_ path: String) -> DiskFolderState { DiskFolderState(path: path) }

    func bindError(_ address: ListenAddress) -> Errno? { ListenTrial.error(address) }
}

extension Int {
    fileprivate func multipliedSaturated(_ other: Int) -> Int {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? .max : product
    }
}
