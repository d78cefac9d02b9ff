import Glibc
import LinuxSystem
import Synchronization
import TestSupport

/// Clients that request images continuously over persistent connections until they are stopped.
final class SteadyLoad: Sendable {
    /// The results of the clients.
    struct Tally: Equatable {
        /// Complete responses with status 200.
        var answered = 0
        /// Connections that were refused.
        var refused = 0
        /// Persistent connections that were closed before a response began: HTTP clients retry these (RFC 9112 §9.3.1).
        var retried = 0
        /// All other outcomes, as text.
        var failed: [String] = []
    }

    private let tally = Signal(Tally())
    private let isOver = Atomic(false)
    private let running: Signal<Int>
    private let port: UInt16
    private let targets: [String]

    /// Starts the clients.
    init(port: UInt16, clients: Int, targets: [String]) throws {
        self.port = port
        self.targets = targets
        running = Signal(clients)
        for _ in 0..<clients {
            try SystemThread.start(name: "load") { [self] in
                while !isOver.load(ordering: .relaxed) { runConnection() }
                running.update { $0 -= 1 }
            }
        }
    }

    /// Blocks until a number of requests have been answered.
    func waitForAnswers(_ count: Int) {
        // Has no timeout of its own, as a busy machine may be slow; the suite's time limit ends it.
        while (try? tally.wait { $0.answered >= count || !$0.failed.isEmpty }) == nil {}
    }

    /// Stops the clients and returns their results.
    func end() throws -> Tally {
        isOver.store(true, ordering: .relaxed)
        _ = try running.wait { $0 == 0 }
        return tally.value
    }

    private func runConnection() {
        guard let client = try? RawHTTPClient(port: port) else { return tally.update { $0.refused += 1 } }
        for (index, target) in targets.enumerated() where !isOver.load(ordering: .relaxed) {
            do {
                let answer = try client.get(target)
                guard answer.status == 200 else { return fail("\(target): \(answer.status)") }
                tally.update { $0.answered += 1 }
                if answer["Connection"] == "close" { return }
            } catch {
                // The server has accepted the connection, so it must answer the first request.
                guard index > 0, Self.isUnanswered(error) else { return fail("\(target), number \(index): \(error)") }
                return tally.update { $0.retried += 1 }
            }
        }
    }

    private func fail(_ text: String) { tally.update { $0.failed.append(text) } }

    /// Whether the connection ended before the first byte of a response.
    private static func isUnanswered(_ error: any Error) -> Bool {
        switch error as? RawHTTPClient.Failure {
        case .closed(let received): received.isEmpty
        case .system(let error): error.code == ECONNRESET || error.code == EPIPE
        default: false
        }
    }
}
