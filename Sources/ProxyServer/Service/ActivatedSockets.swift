import CLinux
import Glibc
import HTTPKit
import ImagePipeline
import LinuxSystem

/// Listening sockets passed by the service manager, or by the process that this one takes over from.
///
/// Those of the manager are served in addition to `listen`, and replace addresses in it that they are bound to. Sockets that a
/// daemon has opened itself are used for the addresses that they were opened for.
struct ActivatedSockets: Sendable, Equatable {
    /// The reason why a descriptor cannot be used.
    struct UnusableSocket: Error, CustomStringConvertible {
        var number: CInt
        var reason: String

        var description: String { "socket activation: descriptor \(number) \(reason)" }
    }

    /// Sockets of the public listener: all that are not named `admin`.
    var publicListeners: [ListenAddress] = []
    /// The socket of the admin listener, named `admin`.
    var adminListener: ListenAddress?
    /// Sockets that a predecessor has opened for its public and its admin listener.
    var ownPublic: [ListenAddress: [CInt]] = [:]
    var ownAdmin: [ListenAddress: [CInt]] = [:]
    /// All passed sockets by name, to pass them on.
    private var names: [CInt: String] = [:]
    /// Own Unix sockets whose path is gone, so that no client reaches them.
    private var lost: [ServiceEnvironment.Socket] = []

    /// Assigns the passed sockets to the listeners.
    ///
    /// - Throws: `UnusableSocket` for a descriptor that is not a listening stream socket, and for a second one named `admin`.
    init(_ sockets: [ServiceEnvironment.Socket]) throws(UnusableSocket) {
        for socket in sockets {
            guard Self.option(SO_TYPE, of: socket.number) == CInt(SOCK_STREAM.rawValue) else {
                throw UnusableSocket(number: socket.number, reason: "is not a stream socket (ListenStream=)")
            }
            guard Self.option(SO_ACCEPTCONN, of: socket.number) == 1 else {
                throw UnusableSocket(number: socket.number, reason: "is not listening (Accept=no)")
            }
            names[socket.number] = socket.name
            if let own = SocketName(socket.name) {
                if case .unix(let path) = own.address, unsafe access(path, F_OK) != 0 {
                    lost.append(socket)
                    continue
                }
                switch own.listener {
                case .public: ownPublic[own.address, default: []].append(socket.number)
                case .admin: ownAdmin[own.address, default: []].append(socket.number)
                }
                continue
            }
            guard socket.name == "admin" else {
                publicListeners.append(.descriptor(socket.number))
                continue
            }
            guard adminListener == nil else {
                throw UnusableSocket(number: socket.number, reason: "is the second one named admin")
            }
            adminListener = .descriptor(socket.number)
        }
    }

    /// All addresses of the public listener: the sockets, and the configured addresses that none of them is bound to.
    func publicAddresses(beside configured: [ListenAddress]) -> [ListenAddress] {
        let bound = publicListeners.compactMap(Self.bound)
        return publicListeners + configured.filter { !bound.contains($0) }
    }

    /// The name of a listening socket of this process when it is passed on; an activated one keeps its name.
    func name(of socket: ListeningSocket, _ listener: SocketName.Listener) -> String {
        if case .descriptor(let number) = socket.address { return names[number] ?? "" }
        return SocketName(listener, socket.address).text
    }

    /// Own sockets of a predecessor for addresses that are no longer configured, or whose path is gone, with their names.
    func unused(_ configuration: Configuration) -> [ServiceEnvironment.Socket] {
        let own = [(ownPublic, configuration.listen), (ownAdmin, configuration.admin.listen)]
        return own.flatMap { sockets, addresses in
            sockets.filter { !addresses.contains($0.key) }.flatMap(\.value)
        }.map { ServiceEnvironment.Socket(number: $0, name: names[$0] ?? "") } + lost
    }

    /// Checks that remote clients need a token on the admin socket.
    ///
    /// - Throws: `UnusableSocket` if the socket is not bound to loopback and there is no token.
    func check(token: Secret) throws(UnusableSocket) {
        guard token.isEmpty, case .descriptor(let number)? = adminListener,
            let address = ListenAddress(boundTo: number), !ConfigurationChecks.isLocal(address)
        else { return }
        throw UnusableSocket(number: number, reason: "listens on \(address) for admin, which needs admin.token")
    }

    /// The address of a socket, for messages.
    static func bound(_ listener: ListenAddress) -> ListenAddress? {
        guard case .descriptor(let number) = listener else { return nil }
        return ListenAddress(boundTo: number)
    }

    private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
