import CLinux
import Glibc
import HTTPKit
import ImagePipeline
import LinuxSystem

/// Listening sockets passed by the service manager.
///
/// They are served in addition to `listen`, and replace addresses in it that they are bound to.
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
