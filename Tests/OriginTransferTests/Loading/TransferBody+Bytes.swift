import Glibc
import LinuxSystem
import OriginTransfer

extension TransferBody {
    /// Reads the whole file from its start.
    func bytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length + 1)
        let count = try checked("pread") { unsafe pread(file.number, &bytes, bytes.count, 0) }
        return Array(bytes.prefix(count))
    }
}
