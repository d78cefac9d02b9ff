import HTTPKit
import HTTPSemantics

/// The name under which a listening socket that the daemon has opened is passed on: which listener it is of, and the address in
/// the configuration.
///
/// Names are at most 255 printable ASCII characters without colons (sd_pid_notify_with_fds(3)), so the address is in hexadecimal.
struct SocketName: Sendable, Hashable {
    /// A listener of the daemon.
    enum Listener: String, Sendable, CaseIterable {
        case `public`
        case admin
    }

    private static let prefix = "edgeprint-"

    let listener: Listener
    let address: ListenAddress

    /// Creates a name.
    init(_ listener: Listener, _ address: ListenAddress) { (self.listener, self.address) = (listener, address) }

    /// Parses a name; `nil` for one that a socket unit gives.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] + "-" == Self.prefix, let listener = Listener(rawValue: String(parts[1])),
            let bytes = [UInt8](hexadecimal: String(parts[2])),
            let address = ListenAddress(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        self.init(listener, address)
    }

    /// The text, such as `edgeprint-public-3a38303830`.
    var text: String {
        Self.prefix + listener.rawValue + "-" + Array(address.description.utf8).hexText
    }
}
