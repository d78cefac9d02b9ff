import CLinux
import LinuxSystem

/// Brings an original's body into its content file, and makes sure that it is the body that the record tells of.
struct BodyCopy {
    let body: OriginBody
    let files: any FileSystem

    /// Copies the body from offset 0.
    ///
    /// A sealed memory file cannot have changed since its digest was made; a file of a source can, and is hashed again.
    func run(into file: SharedDescriptor) throws(DiskFault) {
        let copied = try DiskFault.file { () throws(Errno) in
            try files.copy(body.file, to: file, length: body.length)
        }
        guard copied == body.length else { throw .body("the body is shorter than its record") }
        guard edge_memfd_is_sealed(body.file.number) != 1 else { return }
        let digest = try DiskFault.file { () throws(Errno) in try BodyDigest.of(file, length: body.length, files: files)
        }
        guard digest == body.digest else { throw .body("the body changed under the copy") }
    }
}
