import CLinux
import Glibc
package import HTTPSemantics

/// The system's look-ups of names and addresses; tests substitute their own.
package struct NameLookup: Sendable {
    /// Returns the addresses of a host; `nil` if the look-up has failed.
    ///
    /// It may block for many seconds.
    package var addresses: @Sendable (_ host: String) -> [IPAddress]?
    /// Whether an address belongs to this machine.
    package var isOwn: @Sendable (IPAddress) -> Bool

    /// Creates look-ups.
    package init(
        addresses: @escaping @Sendable (_ host: String) -> [IPAddress]?,
        isOwn: @escaping @Sendable (IPAddress) -> Bool
    ) {
        self.addresses = addresses
        self.isOwn = isOwn
    }

    /// The system's resolver (getaddrinfo(3)) and interfaces.
    package static let system = NameLookup(
        addresses: { host in
            let found = list(host, flags: 0).compactMap(\.address)
            return found.isEmpty ? nil : found
        },
        isOwn: { address in
            // A socket can be bound only to an address of this machine (bind(2), EADDRNOTAVAIL).
            list(address.text, flags: AI_NUMERICHOST).contains { $0.canBind }
        }
    )

    private static func list(_ host: String, flags: CInt) -> [SocketName] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = flags
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { if let first = unsafe first { unsafe freeaddrinfo(first) } }
        var names: [SocketName] = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ai_addr {
                unsafe names.append(
                    SocketName(UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen)))
                )
            }
            unsafe next = entry.pointee.ai_next
        }
        return names
    }
}

/// A socket address as the system stores it.
private struct SocketName {
    var storage = sockaddr_storage()
    var length: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        length = min(bytes.count, MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutableBytes(of: &storage) { target in
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(length)))
        }
    }

    /// The address; an IPv4 address that is mapped into IPv6 is one of IPv4.
    var address: IPAddress? {
        switch CInt(storage.ss_family) {
        case AF_INET:
            let name = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
            return .v4(UInt32(bigEndian: name.sin_addr.s_addr))
        case AF_INET6:
            let name = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
            let address = IPAddress(name.sin6_addr)
            guard case .v6(high: 0, let low) = address, low >> 32 == 0xFFFF else { return address }
            return .v4(UInt32(truncatingIfNeeded: low))
        default: return nil
        }
    }

    var canBind: Bool {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(CInt(storage.ss_family), type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var storage = storage
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, socklen_t(length)) == 0
            }
        }
    }
}
