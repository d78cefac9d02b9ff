import Glibc
import LinuxSystem

/// A request as received.
package struct ScriptedRequest: Sendable {
    /// The head, including the blank line.
    package let head: String
    /// The number of the request at this origin, from 1.
    package let number: Int
    /// The number of the connection at this origin, from 1.
    package let connection: Int

    /// The method.
    package var method: String { requestLine(0) }
    /// The raw target.
    package var target: String { requestLine(1) }

    /// The value of the first field with a name, ignoring case.
    package func field(_ name: String) -> String? { Self.field(name, in: head) }

    /// The value of a field in a raw head.
    package static func field(_ name: String, in head: String) -> String? {
        let wanted = name.lowercased() + ":"
        for line in head.split(separator: "\r\n").dropFirst() where line.lowercased().hasPrefix(wanted) {
            return String(line.dropFirst(wanted.count).drop { $0 == " " })
        }
        return nil
    }

    private func requestLine(_ index: Int) -> String {
        let line = head.prefix { $0 != "\r\n" && $0 != "\r" }
        let parts = line.split(separator: " ")
        return parts.indices.contains(index) ? String(parts[index]) : ""
    }
}

/// The origin's side of a connection, which writes raw bytes.
package final class ScriptedConnection: Sendable {
    private let descriptor: CInt
    private let state = Lock(State())

    private struct State {
        var isClosed = false
        var number = 0
        /// Bytes received after the last head.
        var rest: [UInt8] = []
    }

    init(owning descriptor: CInt) {
        self.descriptor = descriptor
        var on: CInt = 1
        unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    var number: Int {
        get { state.withLock { $0.number } }
        set { state.withLock { $0.number = newValue } }
    }

    /// The peer's IPv4 address.
    package var peer: String {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe getpeername(descriptor, pointer, &size)
            }
        }
        guard code == 0 else { return "" }
        let value = UInt32(bigEndian: address.sin_addr.s_addr)
        return [24, 16, 8, 0].map { "\(value >> $0 & 255)" }.joined(separator: ".")
    }

    /// Whether the script has closed the connection.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Writes text unchanged.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Writes bytes unchanged; returns `false` if the peer has gone.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        guard !isClosed else { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if sent < 0 && errno == EINTR { continue }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Writes a complete response with `Content-Length`.
    ///
    /// - Parameter fields: lines without line ends, such as `ETag: "a"`.
    package func respond(_ status: String = "200 OK", _ fields: [String] = [], body: [UInt8] = []) {
        let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
        send(Array(lines.joined(separator: "\r\n").utf8) + body)
    }

    /// As above, with a text body.
    package func respond(_ status: String = "200 OK", _ fields: [String] = [], text: String) {
        respond(status, fields, body: Array(text.utf8))
    }

    /// Closes gracefully: the peer reads everything sent, then the end.
    package func close() {
        let first = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard first else { return }
        shutdown(descriptor, CInt(SHUT_RDWR))
        Glibc.close(descriptor)
    }

    /// Blocks until the peer has closed its side, discarding input.
    package func waitForPeer() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            if count == 0 || (count < 0 && errno != EINTR) { return }
        }
    }

    /// Wakes a thread that blocks on the connection; that thread closes it.
    func cut() {
        state.withLock { state in
            if !state.isClosed { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    /// Reads the content of the current request; `nil` if the connection ends before.
    ///
    /// - Parameter count: its length in bytes.
    package func readBody(_ count: Int) -> [UInt8]? {
        var bytes = state.withLock { $0.rest }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let received = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if received < 0 && errno == EINTR { continue }
            guard received > 0 else { return nil }
            bytes += chunk[..<received]
        }
        let rest = Array(bytes[count...])
        state.withLock { $0.rest = rest }
        return Array(bytes[..<count])
    }

    /// The next raw head; `nil` at the end of the connection, or beyond 64 KiB.
    func readHead() -> String? {
        var bytes = state.withLock { $0.rest }
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65_536 {
            if let end = Self.endOfHead(bytes) {
                let rest = Array(bytes[end...])
                state.withLock { $0.rest = rest }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
        return nil
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
    }
}
