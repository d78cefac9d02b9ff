import Foundation
import Glibc

/// A real Redis or Valkey on a Unix socket, and on a TCP port of loopback if asked for.
///
/// `scripts/install-engines` installs both. It is killed when this object is released. Not for concurrent use.
package final class RedisServer {
    /// The programs.
    package enum Engine: String, CaseIterable, Sendable {
        /// Valkey 9.
        case valkey = "valkey-server"
        /// Redis 7.
        case redis = "redis-server"

        /// The path of the program; `nil` if it is not installed.
        package var program: String? {
            var places = ["/usr/bin/\(rawValue)"]
            // The test bundle is in .build/debug, or in another folder of the build.
            var folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                places.insert(folder.appending(path: "engines/bin/\(rawValue)").path, at: 0)
            }
            places.insert(Checkout.path(".build/engines/bin/\(rawValue)"), at: 0)
            return places.first { FileManager.default.isExecutableFile(atPath: $0) }
        }
    }

    /// Why a server is not there.
    package enum Failure: Error {
        /// The program is not installed.
        case missing(String)
        /// It has ended or does not answer; its log.
        case ended(log: String)
    }

    /// Whether tests with both engines run: always where they are required, else if both are installed.
    package static let isEnabled =
        Engine.allCases.allSatisfy { $0.program != nil } || TestEnvironment.value("EDGEPRINT_ENGINES") == "required"

    /// The path of the socket.
    package let socket: String
    private let program: String
    private let folder: TemporaryFolder
    /// The TCP port; 0 for none.
    package private(set) var port: UInt16 = 0
    private let options: [String]
    private var process = Process()

    /// Starts an empty server and waits until it answers.
    ///
    /// - Parameter options: options of its configuration, such as `--appendonly`, `yes`.
    package init(_ engine: Engine = .valkey, _ options: [String] = [], onPort: Bool = false) throws {
        guard let program = engine.program else { throw Failure.missing(engine.rawValue) }
        self.program = program
        self.options = options
        folder = try TemporaryFolder()
        socket = folder.path + "/socket"
        // Another program may take the port first.
        for attempt in 1...5 {
            if onPort { port = try Self.freePort() }
            do {
                try start()
                break
            } catch  where onPort && attempt < 5 {}
        }
    }

    deinit { kill() }

    private static func freePort() throws -> UInt16 {
        let origin = try ScriptedOrigin { _, _ in }
        defer { origin.stop() }
        return origin.port
    }

    /// The location of its log of purges.
    package var location: String { "redis+unix://\(socket)" }

    /// Starts it again after `kill`, with the data that it has written.
    package func start() throws {
        process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments =
            [
                "--port", "\(port)", "--bind", "127.0.0.1", "--unixsocket", socket, "--dir", folder.path, "--save", "",
                "--logfile",
                "\(folder.path)/log",
            ]
            + options
        process.currentDirectoryURL = URL(filePath: folder.path)
        try process.run()
        // NOAUTH where it wants a password; LOADING while it reads its data.
        while !["+PONG", "-NOAUTH"].contains(where: { command("PING").hasPrefix($0) }) {
            guard process.isRunning else {
                throw Failure.ended(log: (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "")
            }
            usleep(5_000)
        }
    }

    /// Ends it as a power failure would, apart from what the kernel has buffered.
    package func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Stops it, so that its connections stay open and nothing is answered.
    package func freeze() throws {
        Glibc.kill(process.processIdentifier, SIGSTOP)
        // "T" is the state of a stopped process; see proc(5).
        let path = "/proc/\(process.processIdentifier)/stat"
        try waitWhile(
            process.isRunning && (try? String(contentsOfFile: path, encoding: .utf8))?.contains(") T ") == false
        )
    }

    /// Continues it after `freeze`.
    package func thaw() { Glibc.kill(process.processIdentifier, SIGCONT) }

    /// Runs a command of words without spaces, and returns the reply in the protocol's form; empty if it does not answer.
    @discardableResult
    package func command(_ line: String) -> String {
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: socket.utf8) }
        let connected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { return "" }
        let request = Array("\(line)\r\nQUIT\r\n".utf8)
        guard unsafe send(descriptor, request, request.count, CInt(MSG_NOSIGNAL)) == request.count else {
            return ""
        }
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            reply += buffer[..<count]
        }
        // The reply to QUIT.
        return String(decoding: reply.dropLast(5), as: UTF8.self)
    }
}
