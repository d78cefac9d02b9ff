import CLinux
import Glibc
import HTTPKit
import ImagePipeline

/// Listening sockets that the service manager has opened: they serve beside `listen`, and in place of addresses in it that
/// are theirs.
struct ActivatedSockets: Sendable, Equatable {
    /// Why a descriptor cannot be listened on.
    struct UnusableSocket: Error, CustomStringConvertible {
        var number: CInt
        var reason: String

        var description: String { "socket activation: descriptor \(number) \(reason)" }
    }

    /// For the public listener: those named `public`, and those without one of our names.
    var publicListeners: [ListenAddress] = []
    /// For the admin listener: the one named `admin`.
    var adminListener: ListenAddress?

    /// Sorts what was handed over.
    ///
    /// - Throws: for what is no listening stream socket, and for two that are named `admin`.
    init(_ sockets: [ServiceEnvironment.Socket]) throws(UnusableSocket) {
        for socket in sockets {
            guard Self.option(SO_TYPE, of: socket.number) == CInt(SOCK_STREAM.rawValue) else {
                throw UnusableSocket(number: socket.number, reason: "is no stream socket (ListenStream=)")
            }
            guard Self.option(SO_ACCEPTCONN, of: socket.number) == 1 else {
                throw UnusableSocket(number: socket.number, reason: "does not listen (Accept=no)")
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

    /// All addresses of the public listener: the sockets, and what is configured but for what these are bound to already.
    func publicAddresses(beside configured: [ListenAddress]) -> [ListenAddress] {
        let bound = publicListeners.compactMap(Self.bound)
        return publicListeners + configured.filter { !bound.contains($0) }
    }

    /// Makes sure that who is beyond this machine needs a token on the admin socket.
    ///
    /// - Throws: where the socket is bound beyond loopback and no token is asked for.
    func check(token: Secret) throws(UnusableSocket) {
        guard token.isEmpty, case .descriptor(let number)? = adminListener,
            let address = ListenAddress(boundTo: number), !ConfigurationChecks.isLocal(address)
        else { return }
        throw UnusableSocket(number: number, reason: "listens on \(address) for admin, which needs admin.token")
    }

    /// Where a socket is bound, for people.
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
