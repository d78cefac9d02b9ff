import CLinux
import Glibc
import LinuxSystem
import TestSupport

/// A service manager's side of sd_notify: a datagram socket at a path, or under an abstract name.
final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    let address: String
    private let socket: SharedDescriptor

    init(_ address: String) throws {
        self.address = address
        let number = try checked("socket") {
            Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        socket = SharedDescriptor(owning: number)
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: path) }
        try checked("bind") {
            unsafe withUnsafePointer(to: &target) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(number, $0, socklen_t(2 + path.count))
                }
            }
        }
        var time = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Waits for the next datagram; `nil` after 20 s.
    func next() -> String? { receive(0) }

    /// Waits for the next datagram and the descriptors that come with it, which the caller closes; `nil` after 20 s.
    func nextWithSockets() -> (text: String, descriptors: [CInt])? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var descriptors = [CInt](repeating: -1, count: 16)
        var found: CInt = 16
        let count = unsafe edge_receive_with_descriptors(socket.number, &bytes, bytes.count, &descriptors, &found)
        guard count >= 0 else { return nil }
        for descriptor in descriptors[..<Int(found)] { edge_set_cloexec(descriptor, 0) }
        return (String(decoding: bytes[..<count], as: UTF8.self), Array(descriptors[..<Int(found)]))
    }

    /// A datagram that has already arrived.
    func waiting() -> String? { receive(CInt(MSG_DONTWAIT)) }

    /// Waits for the next datagram that is not a status line.
    func nextState() -> String? {
        while let text = next() {
            if !text.hasPrefix("STATUS=") { return text }
        }
        return nil
    }

    private func receive(_ flags: CInt) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(socket.number, &buffer, buffer.count, flags)
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
}
