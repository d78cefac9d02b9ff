import CCurl
import Glibc
import HTTPKit
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer

/// Sends requests to the admin listener of a running daemon with libcurl, each over a new connection; blocks.
struct AdminClient {
    /// The reason why there is no response.
    enum Failure: Error, CustomStringConvertible {
        /// The configuration turns the listener off, or lets the kernel choose its port.
        case noAddress
        /// The address is a host name, which DNS may resolve to another machine.
        case name(ListenAddress)
        /// The target of a request has a space or a control character.
        case invalidTarget
        case unreachable(ListenAddress, Errno)
        case timedOut(ListenAddress, milliseconds: Int)
        /// The connection was closed before the response was complete.
        case lost(ListenAddress)
        case malformed(ListenAddress)
        /// The daemon responded with an error.
        case refused(status: Int, detail: String)

        var description: String {
            switch self {
            case .noAddress: "the admin listener is off (admin.listen); use --admin HOST:PORT or unix:/PATH"
            case .name(let address):
                "\(address) is a host name, which may resolve to another machine; use --admin with a numeric address"
            case .invalidTarget:
                "the request has a space or a control character in its path, which must be percent-encoded"
            case .unreachable(.unix(let path), let error) where error.code == EACCES:
                "only root and the group of \(path) may connect to it: run this with sudo"
            case .unreachable(let address, let error):
                "cannot connect to \(address) (\(error)); is the daemon running, and is this its admin.listen?"
            case .timedOut(let address, let milliseconds):
                "\(address) did not respond within \(milliseconds) ms; check the daemon's log and the machine's load"
            case .lost(let address):
                "\(address) closed the connection before its response was complete; check the daemon's log"
            case .malformed(let address):
                "\(address) is not the admin listener of Edgeprint; check admin.listen, or use --admin"
            case .refused(401, _): "the admin token is missing or wrong (admin.token, EDGEPRINT_ADMIN_TOKEN)"
            case .refused(let status, let detail): "\(detail) (\(status))"
            }
        }
    }

    /// The maximum size of a response in bytes.
    fileprivate static let longestAnswer = 64 << 20

    /// The milliseconds for a request and its response, by default.
    static let timeout = 60_000

    /// The addresses, tried in order until a connection succeeds.
    private let addresses: [ListenAddress]
    private let token: Secret
    private let timeout: Int

    /// Creates a client for the admin listener of a configuration, over its Unix socket if it has one, or for another address.
    ///
    /// - Parameter timeout: the milliseconds for a request and its response.
    /// - Throws: `Failure.noAddress`.
    init(_ configuration: Configuration, address: ListenAddress? = nil, timeout: Int = Self.timeout) throws(Failure) {
        let all = address.map { [$0] } ?? configuration.admin.listen.filter { $0.port != 0 }
        addresses = all.filter { $0.port == nil } + all.filter { $0.port != nil }
        guard !addresses.isEmpty else { throw .noAddress }
        token = configuration.admin.token
        self.timeout = timeout
    }

    /// Sends a request and returns the content of a 2xx response.
    func send(_ method: String, _ target: String, body: String = "") throws(Failure) -> String {
        try accepted(exchange(method, target, body)).body
    }

    /// Parses the content of a response, an object with a member.
    static func object(_ content: String, with member: String) throws(Failure) -> JSONValue {
        guard let value = JSONValue(parsing: content), value[member] != nil else {
            throw .refused(status: 200, detail: "unexpected response: the daemon may be a different release")
        }
        return value
    }

    /// Sends a GET request and returns status and content, whatever the status.
    func fetch(_ target: String) throws(Failure) -> (status: Int, bytes: [UInt8]) {
        let answer = try exchange("GET", target, "")
        return (answer.status, answer.bytes)
    }

    /// Sends a PUT request with the content of a file.
    ///
    /// - Parameters:
    ///   - file: the descriptor to read to its end.
    ///   - fields: further header fields.
    /// - Returns: the status, from 200 to 299.
    func upload(_ target: String, file: CInt, fields: [FieldLine] = []) throws(Failure) -> Int {
        try accepted(
            exchange { address throws(Failure) in
                try AdminTransfer(address, token: token, timeout: timeout, fields: fields).upload(target, file)
            }
        ).status
    }

    private func accepted(_ answer: AdminAnswerText) throws(Failure) -> AdminAnswerText {
        guard (200...299).contains(answer.status) else {
            let detail = JSONValue(parsing: answer.body)?["detail"]?.words
            throw .refused(status: answer.status, detail: detail ?? answer.body)
        }
        return answer
    }

    private func exchange(_ method: String, _ target: String, _ body: String) throws(Failure) -> AdminAnswerText {
        try exchange { address throws(Failure) in
            try AdminTransfer(address, token: token, timeout: timeout).perform(method, target, body)
        }
    }

    /// Sends a request to the first address that accepts a connection.
    ///
    /// - Throws: the failure of the first address if none is reachable.
    private func exchange(
        _ send: (ListenAddress) throws(Failure) -> AdminAnswerText
    ) throws(Failure) -> AdminAnswerText {
        var first: Failure?
        for address in addresses {
            do throws(Failure) {
                return try send(address)
            } catch {
                guard case .unreachable = error else { throw error }
                first = first ?? error
            }
        }
        throw first ?? .noAddress
    }
}

/// A response of the listener.
private struct AdminAnswerText {
    let status: Int
    let bytes: [UInt8]

    var body: String { String(decoding: bytes, as: UTF8.self) }
}

/// A request to one address: a libcurl handle that ignores proxy settings in the environment.
private final class AdminTransfer {
    private let easy: EasyHandle
    private let address: ListenAddress
    private let timeout: Int
    private let content = CollectedContent(limit: AdminClient.longestAnswer)
    private let lines: HeaderList
    /// The prefix of each target: `http://HOST:PORT`.
    private let base: String

    init(_ address: ListenAddress, token: Secret, timeout: Int, fields: [FieldLine] = []) throws(AdminClient.Failure) {
        base = try Self.base(address)
        guard let easy = EasyHandle() else { throw .unreachable(address, Errno(ENOMEM, "curl_easy_init")) }
        self.easy = easy
        (self.address, self.timeout) = (address, timeout)
        // No Expect: the listener reads the content immediately. No other site can have this host name.
        let authorization = token.isEmpty ? [] : ["Authorization: Bearer \(token.value)"]
        // libcurl sends lines as they are; a field line has no control characters, which could end it (RFC 9110 §5.5).
        lines = HeaderList(
            ["Host: localhost", "Expect:"] + authorization + fields.map { "\($0.name): \($0.text)" }
        )
        easy.set(CURLOPT_HTTPHEADER, lines)
        easy.set(CURLOPT_PROTOCOLS_STR, "http")
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_TIMEOUT_MS, timeout)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_PATH_AS_IS, 1)
        if case .unix(let path) = address { easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        easy.collect(into: content)
    }

    deinit { easy.dispose() }

    func perform(_ method: String, _ target: String, _ body: String) throws(AdminClient.Failure) -> AdminAnswerText {
        try set(target)
        if method == "POST" {
            easy.set(CURLOPT_POSTFIELDSIZE, body.utf8.count)
            easy.set(CURLOPT_COPYPOSTFIELDS, body)
        } else if method != "GET" {
            easy.set(CURLOPT_CUSTOMREQUEST, method)
        }
        return try answer()
    }

    /// Sends a file with PUT; of a file of unknown length, in chunks.
    func upload(_ target: String, _ file: CInt) throws(AdminClient.Failure) -> AdminAnswerText {
        try set(target)
        easy.set(CURLOPT_UPLOAD, 1)
        var status = stat()
        if unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            easy.set(CURLOPT_INFILESIZE, Int(status.st_size))
        }
        let copy = dup(file)
        // libcurl reads from a stream by default.
        guard copy >= 0, let stream = unsafe fdopen(copy, "rb") else {
            throw .unreachable(address, Errno(errno, "open"))
        }
        defer { unsafe fclose(stream) }
        unsafe easy.set(CURLOPT_READDATA, UnsafeMutableRawPointer(stream))
        return try answer()
    }

    /// Sets the target, which is part of the request line (RFC 9112 §3.2).
    private func set(_ target: String) throws(AdminClient.Failure) {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .invalidTarget }
        easy.set(CURLOPT_URL, base + target)
    }

    private func answer() throws(AdminClient.Failure) -> AdminAnswerText {
        let code = easy.perform()
        guard code == CURLE_OK else { throw failure(code) }
        return AdminAnswerText(status: easy.long(CURLINFO_RESPONSE_CODE), bytes: content.bytes)
    }

    private func failure(_ code: CURLcode) -> AdminClient.Failure {
        switch code {
        case CURLE_COULDNT_CONNECT:
            return .unreachable(address, Errno(CInt(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO)), "connect"))
        case CURLE_OPERATION_TIMEDOUT: return .timedOut(address, milliseconds: timeout)
        case CURLE_WRITE_ERROR:
            return .refused(status: 200, detail: "the response is larger than \(AdminClient.longestAnswer >> 20) MiB")
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE: return .lost(address)
        default: return .malformed(address)
        }
    }

    /// The URL of an address; loopback if the daemon listens on all interfaces.
    private static func base(_ address: ListenAddress) throws(AdminClient.Failure) -> String {
        switch address {
        case .unix: return "http://localhost"
        case .tcp("", let port), .tcp("0.0.0.0", let port), .tcp("localhost", let port):
            return "http://127.0.0.1:\(port)"
        case .tcp("::", let port): return "http://[::1]:\(port)"
        case .tcp(let host, let port):
            // Connect only to the given address: any other server would receive the token, and its response would be trusted.
            guard PeerAddress(host, port: port) != nil else { throw .name(address) }
            return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .descriptor: throw .unreachable(address, Errno(EINVAL, "connect"))
        }
    }
}
