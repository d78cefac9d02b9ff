import Glibc
import LinuxSystem

/// A proxy that relays bytes between a client and a port on 127.0.0.1, whatever host the client names: an HTTP proxy that takes
/// CONNECT, or a SOCKS 5 proxy (RFC 1928) without authentication.
final class RelayProxy: Sendable {
    enum Kind {
        case connect, socks
    }

    /// The port on 127.0.0.1, chosen by the system.
    let port: UInt16
    private let listener: CInt
    private let log: Log

    private final class Log: Sendable {
        let targets = Lock([String]())
    }

    /// The hosts and ports that clients asked for, in order.
    var targets: [String] { log.targets.withLock { $0 } }

    init(_ kind: Kind) throws {
        let listener = try checked("socket") { socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        (self.listener, log) = (listener, Log())
        var (address, size) = (Self.loopback(0), socklen_t(MemoryLayout<sockaddr_in>.size))
        try unsafe Self.withAddress(&address) { (pointer) throws(Errno) in
            try checked("bind") { unsafe bind(listener, pointer, size) }
            try checked("getsockname") { unsafe getsockname(listener, pointer, &size) }
        }
        port = UInt16(bigEndian: address.sin_port)
        try checked("listen") { listen(listener, 16) }
        let log = log
        try SystemThread.start(name: "relay-accept") {
            defer { close(listener) }
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                try? SystemThread.start(name: "relay") { Self.serve(client, kind, log) }
            }
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
    }

    private static func serve(_ client: CInt, _ kind: Kind, _ log: Log) {
        defer { close(client) }
        guard let (host, port) = kind == .connect ? readConnect(client) : readSOCKS(client) else { return }
        log.targets.withLock { $0.append("\(host):\(port)") }
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(server) }
        var address = loopback(port)
        let code = unsafe withAddress(&address) { pointer in
            unsafe connect(server, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        guard code == 0 else { return }
        switch kind {
        case .connect: write(Array("HTTP/1.1 200 Connected\r\nX-Relay: yes\r\n\r\n".utf8), to: client)
        case .socks: write([5, 0, 0, 1, 127, 0, 0, 1, 0, 0], to: client)
        }
        relay(client, server)
    }

    private static func readConnect(_ client: CInt) -> (String, UInt16)? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard head.count < 8_192, let byte = read(client, 1)?.first else { return nil }
            head.append(byte)
        }
        let target = String(decoding: head, as: UTF8.self).split(separator: " ").dropFirst().first ?? ""
        guard let colon = target.lastIndex(of: ":"), let port = UInt16(target[target.index(after: colon)...]) else {
            return nil
        }
        return (String(target[..<colon]), port)
    }

    private static func readSOCKS(_ client: CInt) -> (String, UInt16)? {
        guard let greeting = read(client, 2), read(client, Int(greeting[1])) != nil else { return nil }
        write([5, 0], to: client)
        // Version, CONNECT, reserved, 3 for a name, its length.
        guard let request = read(client, 5), request[1] == 1, request[3] == 3, let name = read(client, Int(request[4])),
            let port = read(client, 2)
        else { return nil }
        return (String(decoding: name, as: UTF8.self), UInt16(port[0]) << 8 | UInt16(port[1]))
    }

    /// Copies bytes in both directions until one side ends.
    private static func relay(_ client: CInt, _ server: CInt) {
        var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while unsafe poll(&entries, 2, -1) > 0 {
            for (index, entry) in entries.enumerated() where entry.revents != 0 {
                let count = unsafe recv(entry.fd, &bytes, bytes.count, 0)
                guard count > 0 else { return }
                write(Array(bytes[..<count]), to: entries[1 - index].fd)
            }
        }
    }

    private static func read(_ descriptor: CInt, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress?.advanced(by: done), count - done, 0)
            }
            guard more > 0 else { return nil }
            done += more
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private static func withAddress<Value, Failure: Error>(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try unsafe withUnsafeMutablePointer(to: &address) { (pointer) throws(Failure) in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { (pointer) throws(Failure) in
                try unsafe body(pointer)
            }
        }
    }
}
