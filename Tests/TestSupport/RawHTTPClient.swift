import Glibc
package import LinuxSystem

/// A blocking HTTP/1.1 client for tests: sends exactly the given bytes, and reads one response at a time.
///
/// Every call ends within the timeout given at creation. Not for concurrent use.
package final class RawHTTPClient {
    /// The reason a read or connect failed.
    package enum Failure: Error, Hashable {
        /// Nothing arrived within the timeout.
        case timedOut
        /// The peer closed before the response was complete; the bytes received until then.
        case closed(received: [UInt8])
        /// The response is not HTTP/1.1.
        case malformed(String)
        /// A system call failed.
        case system(Errno)
    }

    /// The socket, on which tests may set options; closed with the client.
    package let descriptor: CInt
    private var buffer: [UInt8] = []
    private var isOpen = true

    /// Connects to a TCP port.
    ///
    /// - Parameters:
    ///   - port: the port to connect to.
    ///   - host: an IPv4 or IPv6 address.
    ///   - from: the client's own IPv4 address, such as another one of 127.0.0.0/8; `nil` for the one that the system chooses.
    ///   - timeoutMilliseconds: the timeout of a single send or receive.
    ///   - receiveBuffer: `SO_RCVBUF` in bytes, set before connecting, for slow readers.
    /// - Throws: `Failure.system` if no process listens there.
    package convenience init(
        port: UInt16,
        host: String = "127.0.0.1",
        from source: String? = nil,
        timeoutMilliseconds: Int = 5000,
        receiveBuffer: CInt? = nil
    ) throws(Failure) {
        let isIPv6 = host.contains(":")
        try self.init(family: isIPv6 ? AF_INET6 : AF_INET, timeoutMilliseconds, receiveBuffer)
        var code: CInt = -1
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
            code = Self.connect(descriptor, &address)
        } else {
            if let source, !Self.bind(descriptor, source) { throw .system(.current("bind")) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            unsafe inet_pton(AF_INET, host, &address.sin_addr)
            code = Self.connect(descriptor, &address)
        }
        guard code == 0 else { throw .system(.current("connect")) }
    }

    /// Connects to a Unix-domain socket.
    ///
    /// - Throws: `Failure.system` if no process listens there.
    package convenience init(unixPath: String, timeoutMilliseconds: Int = 5000) throws(Failure) {
        try self.init(family: AF_UNIX, timeoutMilliseconds, nil)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            for (index, byte) in unixPath.utf8.prefix(bytes.count - 1).enumerated() { unsafe bytes[index] = byte }
        }
        guard Self.connect(descriptor, &address) == 0 else { throw .system(.current("connect")) }
    }

    private init(family: CInt, _ timeoutMilliseconds: Int, _ receiveBuffer: CInt?) throws(Failure) {
        descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(.current("socket")) }
        var time = timeval(tv_sec: timeoutMilliseconds / 1000, tv_usec: (timeoutMilliseconds % 1000) * 1000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
        if var bytes = receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    deinit { close() }

    private static func bind(_ descriptor: CInt, _ source: String) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        unsafe inet_pton(AF_INET, source, &address.sin_addr)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Glibc.bind(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func connect<Address>(_ descriptor: CInt, _ address: inout Address) -> CInt {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    /// Sends text as UTF-8, without adding line ends.
    ///
    /// - Throws: `Failure` if the peer is gone or does not read in time.
    package func send(_ text: String) throws(Failure) { try send(Array(text.utf8)) }

    /// Sends all bytes.
    ///
    /// - Throws: `Failure` if the peer is gone or does not read in time.
    package func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.send(
                    descriptor,
                    raw.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    CInt(MSG_NOSIGNAL)
                )
            }
            if count > 0 { sent += count } else { try failed("send") }
        }
    }

    /// Closes the sending side; the response can still be read.
    package func shutdownWrite() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Closes the connection; idempotent.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }

    /// Closes with a reset (RST), like a crashed client.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    private func failed(_ call: StaticString) throws(Failure) {
        switch errno {
        case EINTR: return
        case EAGAIN: throw .timedOut
        default: throw .system(.current(call))
        }
    }
}

extension RawHTTPClient {
    /// Receives into the buffer, with one call.
    ///
    /// - Returns: false if the peer has closed.
    private func fill() throws(Failure) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count == 0 { return false }
            if count > 0 {
                buffer.append(contentsOf: chunk[..<count])
                return true
            }
            try failed("recv")
        }
    }

    /// Reads exactly `count` bytes.
    ///
    /// - Throws: `Failure` if they do not arrive.
    package func read(exactly count: Int) throws(Failure) -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw .closed(received: buffer) }
        }
        let taken = Array(buffer[..<count])
        buffer.removeFirst(count)
        return taken
    }

    /// Reads everything until the peer closes.
    ///
    /// - Throws: `Failure` if the peer does not close in time, or resets the connection.
    package func readToEnd() throws(Failure) -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Whether the peer closes without sending anything more.
    ///
    /// - Throws: `Failure` if it does not close in time, or resets the connection.
    package func isAtEnd() throws(Failure) -> Bool { try readToEnd().isEmpty }

    /// Reads one chunk (RFC 9112 §7.1); `nil` for the last one.
    ///
    /// - Throws: `Failure` if no complete chunk arrives.
    package func readChunk() throws(Failure) -> [UInt8]? {
        var line: [UInt8] = []
        while !line.suffix(2).elementsEqual([13, 10]) { line += try read(exactly: 1) }
        let text = String(decoding: line.dropLast(2), as: UTF8.self)
        guard let length = Int(text, radix: 16) else { throw .malformed("chunk size: \(text)") }
        let chunk = try read(exactly: length)
        guard try read(exactly: 2) == [13, 10] else { throw .malformed("no line end after a chunk") }
        return length == 0 ? nil : chunk
    }

    /// Reads one response, which may be interim (1xx).
    ///
    /// - Parameter toHEAD: whether the request was HEAD, so that no body follows, regardless of Content-Length.
    /// - Throws: `Failure` if no complete response arrives.
    package func readResponse(toHEAD: Bool = false) throws(Failure) -> RawHTTPResponse {
        var response = try readHead()
        let isBodiless = toHEAD || response.status < 200 || response.status == 204 || response.status == 304
        if isBodiless { return response }
        if let text = response["Content-Length"] {
            guard let length = Int(text) else { throw .malformed("Content-Length: \(text)") }
            response.body = try read(exactly: length)
        } else if response["Transfer-Encoding"] == "chunked" {
            while let chunk = try readChunk() { response.body += chunk }
        } else {
            response.body = try readToEnd()
        }
        return response
    }

    /// Reads the head of a response, whose body can then be read in parts.
    ///
    /// - Throws: `Failure` if no complete head arrives.
    package func readHead() throws(Failure) -> RawHTTPResponse {
        var end: Int?
        while end == nil {
            end = buffer.indices.first {
                $0 + 3 < buffer.count && buffer[$0] == 13 && buffer[$0 + 1] == 10 && buffer[$0 + 2] == 13
                    && buffer[$0 + 3] == 10
            }
            if end == nil {
                guard try fill() else { throw .closed(received: buffer) }
            }
        }
        let head = try read(exactly: (end ?? 0) + 4)
        guard let response = RawHTTPResponse(head: String(decoding: head, as: UTF8.self)) else {
            throw .malformed(String(decoding: head, as: UTF8.self))
        }
        return response
    }

    /// Sends a GET with `Host: localhost` and reads the response; the connection stays open.
    ///
    /// - Throws: `Failure` if no complete response arrives.
    package func get(_ target: String, _ fields: [(String, String)] = []) throws(Failure) -> RawHTTPResponse {
        try request("GET", target, fields)
    }

    /// Sends a request without content and with `Host: localhost`, and reads the response; the connection stays open.
    ///
    /// - Throws: `Failure` if no complete response arrives.
    package func request(
        _ method: String,
        _ target: String,
        _ fields: [(String, String)] = []
    ) throws(Failure) -> RawHTTPResponse {
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        try send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n")
        return try readResponse()
    }
}
