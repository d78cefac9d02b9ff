import CLinux
import Glibc
import LinuxSystem

/// TCP listeners: one socket per loop, with SO_REUSEPORT.
extension ListenerFactory {
    static func tcp(
        _ host: String,
        _ port: UInt16,
        _ configuration: ServerConfiguration
    ) throws(Errno) -> (listeners: [Listener], bound: ListenAddress) {
        var address = try resolve(host, port)
        if port != 0, !configuration.sharesPort {
            // SO_REUSEPORT would let a second daemon take half of our connections: bind without it first.
            close(try bound(&address, reusesPort: false))
        }
        var listeners: [Listener] = []
        var boundPort = port
        for _ in 0..<configuration.loops {
            let descriptor = SharedDescriptor(owning: try bound(&address, reusesPort: true))
            // Inherited by accepted sockets: responses are written whole, so there is nothing to delay.
            try setOption(descriptor.number, CInt(IPPROTO_TCP), TCP_NODELAY)
            try checked("listen") { listen(descriptor.number, configuration.backlog) }
            if boundPort == 0 {
                boundPort = try localPort(descriptor.number)
                setPort(&address, boundPort)
            }
            listeners.append(Listener(descriptor: descriptor, isShared: false, isOwnTCP: true))
        }
        return (listeners, .tcp(host: host, port: boundPort))
    }

    /// Binds a TCP address for an instant.
    static func tryToBind(_ host: String, _ port: UInt16) throws(Errno) {
        var address = try resolve(host, port)
        close(try bound(&address, reusesPort: false))
    }

    private static func bound(_ address: inout SocketAddress, reusesPort: Bool) throws(Errno) -> CInt {
        let family = CInt(address.storage.ss_family)
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = try checked("socket") { socket(family, type, 0) }
        do throws(Errno) {
            try setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
            if reusesPort { try setOption(descriptor, SOL_SOCKET, SO_REUSEPORT) }
            if address.isWildcardIPv6 {
                var zero: CInt = 0
                let size = socklen_t(MemoryLayout<CInt>.size)
                try checked("setsockopt") {
                    unsafe setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &zero, size)
                }
            }
            let length = address.length
            try checked("bind") {
                unsafe withUnsafePointer(to: &address.storage) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe bind(descriptor, $0, length)
                    }
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func localPort(_ descriptor: CInt) throws(Errno) -> UInt16 {
        try ListenAddress.name(of: descriptor).port
    }
}

/// An address for bind(2).
struct SocketAddress {
    var storage = sockaddr_storage()
    var length: socklen_t = 0

    /// Whether this is `::`, which also accepts IPv4 connections.
    var isWildcardIPv6: Bool {
        guard CInt(storage.ss_family) == AF_INET6 else { return false }
        let peer = PeerAddress(storage)
        return peer.high == 0 && peer.low == 0
    }
}

extension ListenerFactory {
    /// Resolves a host; an empty one means all interfaces, IPv6 if available.
    private static func resolve(_ host: String, _ port: UInt16) throws(Errno) -> SocketAddress {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe host.withCString { name in
            unsafe "\(port)".withCString { service in
                unsafe getaddrinfo(host.isEmpty ? nil : name, service, &hints, &list)
            }
        }
        defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
        guard code == 0, let first = unsafe list else { throw Errno(EADDRNOTAVAIL, "getaddrinfo") }
        var address = SocketAddress()
        unsafe withUnsafeMutableBytes(of: &address.storage) { target in
            let size = min(target.count, Int(unsafe first.pointee.ai_addrlen))
            if let source = unsafe first.pointee.ai_addr {
                unsafe target.copyMemory(from: .init(start: source, count: size))
            }
        }
        address.length = unsafe first.pointee.ai_addrlen
        return address
    }

    /// Sets the port, which has the same offset in both families.
    private static func setPort(_ address: inout SocketAddress, _ port: UInt16) {
        unsafe withUnsafeMutableBytes(of: &address.storage) { raw in
            unsafe raw.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
        }
    }
}
