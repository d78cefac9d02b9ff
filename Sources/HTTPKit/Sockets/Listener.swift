import CLinux
import Glibc
import LinuxSystem

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

/// Opens listening sockets.
enum ListenerFactory {
    /// Opens one socket per loop (TCP), or one for all.
    ///
    /// - Returns: the listeners in order of loops, and the address with the bound port.
    static func open(
        _ address: ListenAddress,
        _ configuration: ServerConfiguration
    ) throws(Errno) -> (listeners: [Listener], bound: ListenAddress) {
        switch address {
        case .unix(let path):
            return (shared(try unix(path, configuration), configuration.loops), address)
        case .descriptor(let number):
            return (shared(try inherited(number), configuration.loops), address)
        case .tcp(let host, let port):
            return try tcp(host, port, configuration)
        }
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
