import Glibc
import LinuxSystem

/// A request as it came over the wire.
package struct ScriptedRequest: Sendable {
    /// Everything up to and with the blank line.
    package let head: String
    /// 1 for the origin's first request.
    package let number: Int
    /// 1 for the origin's first connection.
    package let connection: Int

    /// The request line's method.
    package var method: String { requestLine(0) }
    /// The request line's target, raw.
    package var target: String { requestLine(1) }

    /// A field's value, the first of that name (case does not matter).
    package func field(_ name: String) -> String? { Self.field(name, in: head) }

    /// A field's value in a raw head.
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

/// The origin's side of a connection: writes raw bytes, whatever they say.
package final class ScriptedConnection: Sendable {
    private let descriptor: CInt
    private let state = Lock(State())

    private struct State {
        var isClosed = false
        var number = 0
        /// Bytes that came after the head which was read last.
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

    /// Whether the script has closed it.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Writes text as it is.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Writes bytes as they are; `false` when the peer has gone.
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

    /// Writes a whole answer with `Content-Length`.
    ///
    /// - Parameter fields: lines without their ends, such as `ETag: "a"`.
    package func respond(_ status: String = "200 OK", _ fields: [String] = [], body: [UInt8] = []) {
        let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
        send(Array(lines.joined(separator: "\r\n").utf8) + body)
    }

    /// As above, with text for a body.
    package func respond(_ status: String = "200 OK", _ fields: [String] = [], text: String) {
        respond(status, fields, body: Array(text.utf8))
    }

    /// Closes in order: the peer reads what was sent, then the end.
    package func close() {
        let first = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard first else { return }
        shutdown(descriptor, CInt(SHUT_RDWR))
        Glibc.close(descriptor)
    }

    /// Blocks until the peer has closed its side, dropping what it still sends.
    package func waitForPeer() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            if count == 0 || (count < 0 && errno != EINTR) { return }
        }
    }

    /// Wakes a thread that blocks on it; the thread closes it.
    func cut() {
        state.withLock { state in
            if !state.isClosed { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    /// The next head, raw; `nil` at the end of the connection or beyond 64 KiB.
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
