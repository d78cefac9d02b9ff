import Glibc
package import HTTPSemantics

extension IPAddress {
    /// Takes the address out of a socket address of `length` bytes; `nil` for other families and short ones.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
        let family = unsafe bytes.loadUnaligned(as: sa_family_t.self)
        switch CInt(family) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
            self = .v4(UInt32(bigEndian: address.sin_addr.s_addr))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            self.init(unsafe bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default:
            return nil
        }
    }
}
