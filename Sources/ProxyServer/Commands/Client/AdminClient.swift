import CLinux
import Glibc
import HTTPKit
import ImagePipeline
import LinuxSystem

/// Asks a running daemon's admin listener, one request a connection; blocks.
struct AdminClient {
    /// Why there is no answer.
    enum Failure: Error, CustomStringConvertible {
        /// The configuration turns the listener off, or leaves its port to chance.
        case noAddress
        case unreachable(ListenAddress, Errno)
        case timedOut(ListenAddress)
        case malformed(ListenAddress)
        /// The daemon's refusal, in its words.
        case refused(status: Int, detail: String)

        var description: String {
            switch self {
            case .noAddress: "the admin listener is off (admin.listen); say --admin HOST:PORT or unix:/PATH"
            case .unreachable(.unix(let path), let error) where error.code == EACCES:
                "only root and the group of \(path) may use it: run this with sudo"
            case .unreachable(let address, let error):
                "nobody answers at \(address) (\(error)); is the daemon running, and is this its admin.listen?"
            case .timedOut(let address): "\(address) does not answer in time"
            case .malformed(let address): "what answers at \(address) is no admin listener of Edgeprint"
            case .refused(401, _): "the admin token is missing or wrong (admin.token, EDGEPRINT_ADMIN_TOKEN)"
            case .refused(let status, let detail): "\(detail) (\(status))"
            }
        }
    }

    /// The most bytes of an answer that are read.
    private static let longestAnswer = 64 << 20

    /// The first that can be connected to is asked.
    private let addresses: [ListenAddress]
    private let token: Secret
    private let timeoutSeconds: Int

    /// Asks the listener of a configuration, by a Unix socket where it has one, unless another is named.
    ///
    /// - Throws: `Failure.noAddress`.
    init(_ configuration: Configuration, address: ListenAddress? = nil, timeoutSeconds: Int = 60) throws(Failure) {
        let all = address.map { [$0] } ?? configuration.admin.listen.filter { $0.port != 0 }
        addresses = all.filter { $0.port == nil } + all.filter { $0.port != nil }
        guard !addresses.isEmpty else { throw .noAddress }
        token = configuration.admin.token
        self.timeoutSeconds = timeoutSeconds
    }

    /// The content of a 2xx answer.
    func send(_ method: String, _ target: String, body: String = "") throws(Failure) -> String {
        let answer = try exchange(method, target, body)
        guard (200...299).contains(answer.status) else {
            throw .refused(status: answer.status, detail: JSONText.member("detail", of: answer.body) ?? answer.body)
        }
        return answer.body
    }

    private func exchange(_ method: String, _ target: String, _ body: String) throws(Failure) -> (
        status: Int, body: String
    ) {
        let (socket, address) = try connected()
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if !token.isEmpty { head += "Authorization: Bearer \(token.value)\r\n" }
        if method == "POST" { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        try write(Array((head + "\r\n" + body).utf8), to: socket, address)
        return try answer(readToEnd(socket, address), address)
    }

    private func answer(_ bytes: [UInt8], _ address: ListenAddress) throws(Failure) -> (status: Int, body: String) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Connection: close, so that the content is everything behind the empty line.
        guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)),
            let end = text.firstRange(of: "\r\n\r\n")
        else { throw .malformed(address) }
        return (status, String(text[end.upperBound...]))
    }

    /// A connection, and to where.
    ///
    /// - Throws: why there is none to the first address.
    private func connected() throws(Failure) -> (SharedDescriptor, ListenAddress) {
        var first: Failure?
        for address in addresses {
            do throws(Failure) {
                return (try connected(to: address), address)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? .noAddress
    }

    private func connected(to address: ListenAddress) throws(Failure) -> SharedDescriptor {
        do throws(Errno) {
            let family =
                if case .tcp(let host, _) = address { host.contains(":") ? AF_INET6 : AF_INET } else { AF_UNIX }
            let number = try checked("socket") {
                socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            }
            let descriptor = SharedDescriptor(owning: number)
            var time = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, size)
            unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, size)
            try connect(number, address)
            return descriptor
        } catch {
            throw .unreachable(address, error)
        }
    }

    private func connect(_ number: CInt, _ address: ListenAddress) throws(Errno) {
        switch address {
        case .unix(let path):
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &target.sun_path) {
                unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
            }
            try connect(number, &target)
        case .tcp(let host, let port) where host.contains(":"):
            var target = sockaddr_in6()
            target.sin6_family = sa_family_t(AF_INET6)
            target.sin6_port = port.bigEndian
            guard unsafe inet_pton(AF_INET6, host == "::" ? "::1" : host, &target.sin6_addr) == 1 else {
                throw Errno(EADDRNOTAVAIL, "inet_pton")
            }
            try connect(number, &target)
        case .tcp(let host, let port):
            var target = sockaddr_in()
            target.sin_family = sa_family_t(AF_INET)
            target.sin_port = port.bigEndian
            // Where the daemon listens on every interface, this machine's own will do.
            let isNear = ["", "0.0.0.0", "localhost"].contains(host)
            // Never another address than the one that is named: it would be told the token, and obey.
            guard unsafe inet_pton(AF_INET, isNear ? "127.0.0.1" : host, &target.sin_addr) == 1 else {
                throw Errno(EADDRNOTAVAIL, "inet_pton")
            }
            try connect(number, &target)
        case .descriptor: throw Errno(EINVAL, "connect")
        }
    }

    private func connect<Address>(_ number: CInt, _ target: inout Address) throws(Errno) {
        try checked("connect") {
            unsafe withUnsafePointer(to: &target) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
    }

    private func write(_ bytes: [UInt8], to socket: SharedDescriptor, _ address: ListenAddress) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.send(
                    socket.number,
                    raw.baseAddress?.advanced(by: sent),
                    raw.count - sent,
                    CInt(MSG_NOSIGNAL)
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("send", address) }
            sent += count
        }
    }

    private func readToEnd(_ socket: SharedDescriptor, _ address: ListenAddress) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < Self.longestAnswer {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(socket.number, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("recv", address) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw .malformed(address)
    }

    private func failure(_ call: StaticString, _ address: ListenAddress) -> Failure {
        errno == EAGAIN ? .timedOut(address) : .unreachable(address, .current(call))
    }
}
