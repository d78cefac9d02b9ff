import Glibc
import LinuxSystem
import TestSupport

/// Clients that request originals and variants, and one that purges and changes the origin, until they are stopped.
///
/// Every response is compared: an original with the origin's bytes, a variant with those first made for one of the origin's
/// contents.
final class CrashLoad: Sendable {
    static let widths = [16, 24, 32, 40]

    struct Tally: Sendable {
        var answers = 0
        var wrong: [String] = []
        /// Responses that are errors of the daemon.
        var failures: [String] = []
        /// Responses served from disk.
        var diskHits = 0
        var purges = 0
    }

    private let origin: CrashOrigin
    private let state = Lock(Tally())
    private let known: Lock<[String: Set<[UInt8]>]>
    private let running = Monitor((count: 0, isStopped: false))

    init(origin: CrashOrigin) {
        self.origin = origin
        known = Lock([:])
    }

    var tally: Tally { state.withLock { $0 } }

    /// The variant that a new daemon makes from a content, for comparison with later responses.
    func learn(_ number: Int, _ width: Int, _ bytes: [UInt8]) {
        known.withLock { _ = $0["\(number) \(width)", default: []].insert(bytes) }
    }

    /// Starts clients; they stop when the daemon ends.
    func start(port: UInt16, admin: UInt16, clients: Int, seed: UInt64) throws {
        running.update { $0 = (clients + 1, false) }
        for client in 0..<clients {
            try SystemThread.start(name: "crash-client") { [self] in
                var generator = SeededGenerator(seed: seed &+ UInt64(client))
                while !isStopped, ask(port, &generator) {}
                running.update(wakingAll: true) { $0.count -= 1 }
            }
        }
        try SystemThread.start(name: "crash-purger") { [self] in
            var generator = SeededGenerator(seed: seed &+ 1000)
            while !isStopped, purge(admin, &generator) {}
            running.update(wakingAll: true) { $0.count -= 1 }
        }
    }

    private var isStopped: Bool { running.withLock { $0.isStopped } }

    /// Waits until all have stopped.
    func stop() {
        running.update { $0.isStopped = true }
        _ = running.wait { $0.count == 0 ? true : nil }
    }

    private func ask(_ port: UInt16, _ generator: inout SeededGenerator) -> Bool {
        let number = Int.random(in: 0..<CrashOrigin.pictures, using: &generator)
        let width = Bool.random(using: &generator) ? Self.widths.randomElement(using: &generator) : nil
        return (try? compare(number, width, port: port)) ?? false
    }

    /// One request, compared.
    ///
    /// - Returns: whether there was a response.
    func compare(_ number: Int, _ width: Int?, port: UInt16) throws -> Bool {
        let target = "/photos/p\(number).png" + (width.map { "?w=\($0)&format=png" } ?? "")
        let response = try RawHTTPClient(port: port, timeoutMilliseconds: 10_000).get(target)
        let isRight =
            if let width {
                known.withLock { $0["\(number) \(width)"]?.contains(response.body) ?? false }
            } else {
                origin.contents(of: number).contains(response.body)
            }
        state.withLock { tally in
            tally.answers += 1
            if response["Cache-Status"]?.contains("detail=disk") == true { tally.diskHits += 1 }
            if response.status != 200 {
                tally.failures.append("\(target): \(response.status)")
            } else if !isRight {
                tally.wrong.append(target)
            }
        }
        return true
    }

    private func purge(_ admin: UInt16, _ generator: inout SeededGenerator) -> Bool {
        let number = Int.random(in: 0..<CrashOrigin.pictures, using: &generator)
        origin.change(Int.random(in: 0..<CrashOrigin.pictures, using: &generator))
        guard let client = try? RawHTTPClient(port: admin, timeoutMilliseconds: 10_000),
            (try? client.post("/purge", #"{"url":"/photos/p\#(number).png"}"#)) != nil
        else { return false }
        state.withLock { $0.purges += 1 }
        // Fewer than requests, as entries that are purged immediately are never hit.
        usleep(5000)
        return true
    }
}

extension RawHTTPClient {
    /// A request with a JSON body.
    func post(_ target: String, _ json: String) throws -> RawHTTPResponse {
        try send(
            "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)"
        )
        return try readResponse()
    }
}
