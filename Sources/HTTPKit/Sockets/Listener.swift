import CLinux
import Glibc
package import LinuxSystem

/// A listening socket as one loop sees it.
struct Listener: Sendable {
    /// The socket, closed when the last loop releases it.
    let descriptor: SharedDescriptor
    /// Whether other loops wait on the same socket, so that a connection should wake only one of them.
    let isShared: Bool
    /// Whether this is a TCP socket of this server alone.
    var isOwnTCP = false
}

/// Transfers listeners to the loop that will own them.
final class ListenerBox: Sendable {
    private let listeners: Lock<[Listener]>

    init(_ listeners: [Listener]) {
        self.listeners = Lock(listeners)
    }

    /// Takes the listeners; empty the second time.
    func take() -> [Listener] {
        listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
    }
}

/// A listening socket of a server, and the address that it is configured as.
package struct ListeningSocket: Sendable {
    package let address: ListenAddress
    /// The socket, which stays open as long as this value.
    package let descriptor: SharedDescriptor

    /// The sockets of an address's listeners; loops may share one.
    static func all(of listeners: [Listener], at address: ListenAddress) -> [ListeningSocket] {
        var seen: Set<CInt> = []
        return listeners.filter { seen.insert($0.descriptor.number).inserted }.map {
            ListeningSocket(address: address, descriptor: $0.descriptor)
        }
    }
}

/// Opens listening sockets.
enum ListenerFactory {
    /// Opens one socket per loop (TCP), or one for all.
    ///
    /// - Returns: the listeners in order of loops, and the address with the bound port.
    static func open(
        _ address: ListenAddress,
        _ configuration: ServerConfiguration
    ) throws(Errno) -> (listeners: [Listener], bound: ListenAddress) {
        if let numbers = configuration.inherited[address], !numbers.isEmpty {
            return try adopt(numbers, address, configuration.loops)
        }
        switch address {
        case .unix(let path):
            return (shared(try unix(path, configuration), configuration.loops), address)
        case .descriptor(let number):
            return (shared(try inherited(number), configuration.loops), address)
        case .tcp(let host, let port):
            return try tcp(host, port, configuration)
        }
    }

    /// Takes over the sockets of a predecessor; each is watched by a loop at least, and each loop watches one at least.
    private static func adopt(
        _ numbers: [CInt],
        _ address: ListenAddress,
        _ loops: Int
    ) throws(Errno) -> (listeners: [Listener], bound: ListenAddress) {
        var descriptors: [SharedDescriptor] = []
        for number in numbers { descriptors.append(SharedDescriptor(owning: try inherited(number))) }
        // A predecessor that has drained in vain may have left its filter.
        for number in numbers { edge_accept_new_connections(number) }
        let isTCP = address.port != nil
        let listeners = (0..<max(numbers.count, loops)).map { index in
            Listener(
                descriptor: descriptors[index % numbers.count],
                isShared: numbers.count < loops,
                isOwnTCP: isTCP
            )
        }
        return (listeners, isTCP ? ListenAddress(boundTo: numbers[0]) ?? address : address)
    }

    private static func shared(_ number: CInt, _ loops: Int) -> [Listener] {
        let descriptor = SharedDescriptor(owning: number)
        return (0..<loops).map { _ in Listener(descriptor: descriptor, isShared: loops > 1) }
    }

    static func setOption(_ descriptor: CInt, _ level: CInt, _ name: CInt) throws(Errno) {
        var one: CInt = 1
        try checked("setsockopt") {
            unsafe setsockopt(descriptor, level, name, &one, socklen_t(MemoryLayout<CInt>.size))
        }
    }
}
