import Glibc
import LinuxSystem
import Synchronization
import TestSupport

/// Clients that ask one picture after the other over kept connections, until they are told to end.
final class SteadyLoad: Sendable {
    /// What the clients saw.
    struct Tally: Equatable {
        /// Complete answers with status 200.
        var answered = 0
        /// Connections that were refused, or kept ones that were closed before a request was answered: HTTP clients ask
        /// again elsewhere (RFC 9112 §9.3.1), as nobody has begun to answer.
        var retried = 0
        /// Everything else, in words.
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

    /// Blocks until so many requests have been answered.
    func waitForAnswers(_ count: Int) {
        // A wait gives up after a while, which a busy machine may well need: the suite's time limit ends this one.
        while (try? tally.wait { $0.answered >= count || !$0.failed.isEmpty }) == nil {}
    }

    /// Ends the clients and says what they saw.
    func end() throws -> Tally {
        isOver.store(true, ordering: .relaxed)
        _ = try running.wait { $0 == 0 }
        return tally.value
    }

    private func runConnection() {
        guard let client = try? RawHTTPClient(port: port) else { return tally.update { $0.retried += 1 } }
        for (index, target) in targets.enumerated() where !isOver.load(ordering: .relaxed) {
            do {
                let answer = try client.get(target)
                guard answer.status == 200 else { return fail("\(target): \(answer.status)") }
                tally.update { $0.answered += 1 }
                if answer["Connection"] == "close" { return }
            } catch {
                // Of a first request, the server has let the client in: it owes an answer.
                guard index > 0, Self.isUnanswered(error) else { return fail("\(target), number \(index): \(error)") }
                return tally.update { $0.retried += 1 }
            }
        }
    }

    private func fail(_ text: String) { tally.update { $0.failed.append(text) } }

    /// Whether the connection ended before the first byte of an answer.
    private static func isUnanswered(_ error: any Error) -> Bool {
        switch error as? RawHTTPClient.Failure {
        case .closed(let received): received.isEmpty
        case .system(let error): error.code == ECONNRESET || error.code == EPIPE
        default: false
        }
    }
}
