import Glibc
import LinuxSystem

/// An HTTP origin for tests: raw blocking sockets on loopback, and a script that writes every byte of every response.
///
/// Each connection has its own thread, so a script may block on a `ScriptedGate`. After the script returns, the connection stays
/// open for the next request (keep-alive) unless the script has closed it.
package final class ScriptedOrigin: Sendable {
    /// Responds to one request, on the connection's thread.
    package typealias Script = @Sendable (ScriptedRequest, ScriptedConnection) -> Void

    /// The port on 127.0.0.1, chosen by the system.
    package let port: UInt16
    let tally = ScriptedTally()
    private let listener: CInt

    /// Starts listening.
    ///
    /// - Throws: `Errno` if the system cannot create a socket or a thread.
    package init(_ script: @escaping Script) throws {
        let listener = try checked("socket") { socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        self.listener = listener
        port = try ScriptedOrigin.bindLoopback(listener)
        try checked("listen") { listen(listener, 512) }
        let tally = tally
        try SystemThread.start(name: "origin-accept") { ScriptedOrigin.acceptLoop(listener, tally, script) }
    }

    deinit {
        stop()
    }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    package var url: String { "http://127.0.0.1:\(port)" }
    /// The number of requests received so far, counted by their heads.
    package var requests: Int { tally.state.withLock { $0.heads.count } }
    /// The number of connections accepted so far.
    package var connections: Int { tally.state.withLock { $0.accepted } }
    /// The maximum number of connections open at a time.
    package var mostOpenConnections: Int { tally.state.withLock { $0.mostOpen } }
    /// The maximum number of requests in progress at a time.
    package var mostActiveRequests: Int { tally.state.withLock { $0.mostActive } }
    /// The raw heads of all requests, in order of arrival.
    package var heads: [String] { tally.state.withLock { $0.heads } }

    /// Suspends until a total number of requests has arrived.
    package func arrival(of count: Int) async {
        await withCheckedContinuation { tally.wait(for: .heads(count), $0) }
    }

    /// Suspends until at most a given number of connections are open.
    package func openConnections(fallTo count: Int) async {
        await withCheckedContinuation { tally.wait(for: .open(count), $0) }
    }

    /// Stops listening and cuts every connection.
    package func stop() {
        guard let open = tally.stop() else { return }
        // The accept thread wakes with an error and closes the listener.
        shutdown(listener, CInt(SHUT_RDWR))
        for connection in open { connection.cut() }
    }

    private static func bindLoopback(_ socket: CInt) throws(Errno) -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &address) { (pointer) throws(Errno) in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { (pointer) throws(Errno) in
                try checked("bind") { unsafe bind(socket, pointer, size) }
                try checked("getsockname") { unsafe getsockname(socket, pointer, &size) }
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func acceptLoop(_ listener: CInt, _ tally: ScriptedTally, _ script: @escaping Script) {
        defer { close(listener) }
        while true {
            let accepted = accept(listener, nil, nil)
            if accepted < 0 && errno == EINTR { continue }
            guard accepted >= 0 else { return }
            let connection = ScriptedConnection(owning: accepted)
            guard tally.opened(connection) else { return }
            do {
                try SystemThread.start(name: "origin-conn") { serve(connection, tally, script) }
            } catch {
                tally.closed(connection)
            }
        }
    }

    private static func serve(_ connection: ScriptedConnection, _ tally: ScriptedTally, _ script: Script) {
        defer { tally.closed(connection) }
        while let head = connection.readHead() {
            let number = tally.began(head)
            script(ScriptedRequest(head: head, number: number, connection: connection.number), connection)
            tally.ended()
            if connection.isClosed { return }
        }
    }
}
