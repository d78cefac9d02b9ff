import CLinux
import Glibc
import LinuxSystem

extension ListenAddress {
    /// The address an open socket is bound to; `nil` for unnamed sockets and families other than IP and Unix.
    package init?(boundTo descriptor: CInt) {
        var storage = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        guard Self.getName(of: descriptor, into: &storage, &length) == 0 else { return nil }
        switch CInt(storage.sun_family) {
        case AF_UNIX:
            let path = unsafe withUnsafeBytes(of: storage.sun_path) { raw in
                unsafe String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
        case AF_INET, AF_INET6:
            guard let address = try? Self.name(of: descriptor) else { return nil }
            self = .tcp(host: address.description, port: address.port)
        default: return nil
        }
    }

    /// An Internet socket's own address.
    static func name(of descriptor: CInt) throws(Errno) -> PeerAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        try checked("getsockname") { getName(of: descriptor, into: &storage, &length) }
        return PeerAddress(storage)
    }

    private static func getName<Address>(of descriptor: CInt, into address: inout Address, _ length: inout socklen_t)
        -> CInt
    {
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
    }
}
