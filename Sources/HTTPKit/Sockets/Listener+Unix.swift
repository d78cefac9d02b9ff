import CLinux
import Glibc
import LinuxSystem

/// Unix-domain sockets and inherited sockets.
extension ListenerFactory {
    static func unix(_ path: String, _ configuration: ServerConfiguration) throws(Errno) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Errno(ENAMETOOLONG, "bind")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = try checked("socket") { socket(AF_UNIX, type, 0) }
        do throws(Errno) {
            try removeStale(path, &address)
            try checked("bind") { unsafe call(&address) { unsafe bind(descriptor, $0, $1) } }
            // No client can connect before listen(2), so the mode applies from the first connection on.
            let mode: mode_t = configuration.socketMode == .everybody ? 0o666 : 0o660
            try checked("chmod") { unsafe chmod(path, mode) }
            try checked("listen") { listen(descriptor, configuration.backlog) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Removes a socket file without a listener; a live one, or any other kind of file, is an error.
    private static func removeStale(_ path: String, _ address: inout sockaddr_un) throws(Errno) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw Errno(EEXIST, "bind") }
        let probe = try checked("socket") {
            socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        }
        defer { close(probe) }
        if unsafe call(&address, { unsafe connect(probe, $0, $1) }) == 0 { throw Errno(EADDRINUSE, "bind") }
        guard errno == ECONNREFUSED else { throw Errno.current("connect") }
        try checked("unlink") { unsafe unlink(path) }
    }

    private static func call(
        _ address: inout sockaddr_un,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func inherited(_ number: CInt) throws(Errno) -> CInt {
        try checked("fcntl") { edge_set_nonblocking(number) }
        try checked("fcntl") { edge_set_cloexec(number, 1) }
        // Fails harmlessly if this is not a TCP socket.
        try? setOption(number, CInt(IPPROTO_TCP), TCP_NODELAY)
        return number
    }
}
