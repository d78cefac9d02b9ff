import HostileTestSupport
import LinuxSystem
import Synchronization
import TestSupport

/// Clients that request hostile pictures of a daemon, and one that requests harmless ones meanwhile.
final class HostileRun: Sendable {
    /// The response to one request.
    struct Answer: Sendable {
        var kind: HostileKind
        var target: String
        /// The status; `nil` without a complete response in time.
        var status: Int?
        var crashedDecoder: Bool
        var milliseconds: Int
        /// The problem of the response or its absence.
        var text: String
    }

    /// What has happened so far.
    struct Record: Sendable {
        var answers: [Answer] = []
        /// Right responses to the client of harmless pictures, and its problems.
        var calm = 0
        var disturbances: [String] = []
        var running: Int
    }

    /// The files being requested, by name.
    let shelf: HostileShelf
    let record: Signal<Record>
    private let port: UInt16
    private let limit: Int
    private let work: [(kind: HostileKind, number: Int)]
    private let next = Atomic(0)

    /// How each file is requested, after `photos/NAME`; an empty one requests the original without its metadata.
    static let plans = [
        "?w=40&format=webp", "?format=json", "", "?w=20&format=blurhash", "?w=900&h=20&fit=cover&format=png",
        "?w=30&format=avif&anim=keep",
    ]

    /// - Parameters:
    ///   - milliseconds: the client's timeout for a response.
    ///   - count: the files of each kind.
    init(_ shelf: HostileShelf, port: UInt16, clients: Int, count: Int, milliseconds: Int) {
        self.shelf = shelf
        self.port = port
        limit = milliseconds
        record = Signal(Record(running: clients))
        // By number, so that cheap and expensive kinds alternate.
        work = (0..<count).flatMap { number in HostileKind.allCases.map { (kind: $0, number: number) } }
    }

    /// Requests all files.
    ///
    /// - Parameter calm: a target, and its right body.
    func run(calm: (target: String, body: [UInt8])) throws -> Record {
        for _ in 0..<record.value.running {
            try SystemThread.start(name: "hostile") { [self] in
                while let item = take() { request(item) }
                record.update { $0.running -= 1 }
            }
        }
        while record.value.running > 0 {
            requestCalm(calm)
            let done = record.value.answers.count
            // Several minutes: `wait` alone would give up.
            while (try? record.wait { $0.answers.count >= done + 10 || $0.running == 0 }) == nil {}
        }
        return record.value
    }

    private func take() -> (kind: HostileKind, number: Int)? {
        let index = next.add(1, ordering: .relaxed).oldValue
        return index < work.count ? work[index] : nil
    }

    /// Requests a file with three of the plans.
    private func request(_ item: (kind: HostileKind, number: Int)) {
        let name = HostileCorpus.name(item.kind, item.number)
        shelf.put(name, item.kind, item.number)
        for offset in 0..<3 {
            let plan = Self.plans[(item.number + item.number / 6 + offset * 2) % Self.plans.count]
            let answer = ask((plan.isEmpty ? "/clean/" : "/photos/") + name + plan, of: item.kind)
            record.update { $0.answers.append(answer) }
        }
        shelf.remove(name)
    }

    private func ask(_ target: String, of kind: HostileKind) -> Answer {
        let clock = ContinuousClock()
        let start = clock.now
        var answer = Answer(kind: kind, target: target, status: nil, crashedDecoder: false, milliseconds: 0, text: "")
        do {
            let response = try RawHTTPClient(port: port, timeoutMilliseconds: limit).get(target)
            answer.status = response.status
            if response.status != 200 { answer.text = String(response.text.prefix(300)) }
            answer.crashedDecoder = answer.text.contains("crashed its decoder")
            if response.status == 200, response.body.isEmpty { answer.text = "an empty body" }
        } catch {
            answer.text = "\(error)"
        }
        answer.milliseconds = Int((clock.now - start) / .milliseconds(1))
        return answer
    }

    private func requestCalm(_ calm: (target: String, body: [UInt8])) {
        do {
            // The calm source's timeouts are longer: the machine may be busy.
            let response = try RawHTTPClient(port: port, timeoutMilliseconds: 20_000).get(calm.target)
            let isRight = response.status == 200 && response.body == calm.body
            record.update { record in
                if isRight {
                    record.calm += 1
                } else {
                    record.disturbances.append("\(response.status) \(response.text.prefix(200))")
                }
            }
        } catch {
            record.update { $0.disturbances.append("\(error)") }
        }
    }
}

/// The files that an origin has at the moment: some are megabytes long, so none outlives its requests.
final class HostileShelf: Sendable {
    private let files = Lock<[String: [UInt8]]>([:])
    private let corpus = Lock<HostileCorpus?>(nil)

    /// Sets the generator.
    func use(_ corpus: HostileCorpus) { self.corpus.withLock { $0 = corpus } }

    /// Adds a file with a name.
    func put(_ name: String, _ bytes: [UInt8]) { files.withLock { $0[name] = bytes } }

    /// Generates and adds a file.
    func put(_ name: String, _ kind: HostileKind, _ number: Int) {
        guard let corpus = corpus.withLock({ $0 }) else { return }
        put(name, corpus.file(kind, number))
    }

    func remove(_ name: String) { files.withLock { $0[name] = nil } }

    /// Serves the files with the media types that their names suggest.
    func script(_ request: ScriptedRequest, _ connection: ScriptedConnection) {
        let name = String(request.target.dropFirst().prefix { $0 != "?" })
        guard let file = files.withLock({ $0[name] }) else { return connection.respond("404 Not Found", text: "no") }
        let type = "Content-Type: image/\(name.split(separator: ".").last ?? "png")"
        connection.respond("200 OK", ["Cache-Control: max-age=3600", type], body: file)
    }
}

extension HostileRun.Record {
    /// A table by kind: files, responses by status, decoders that crashed, and the slowest response.
    var table: String {
        var lines = ["kind              files    200    415    422  crash    504  other   slowest"]
        for kind in HostileKind.allCases {
            let own = answers.filter { $0.kind == kind }
            let files = Set(own.map { $0.target.split(separator: "/").last.map { $0.prefix { $0 != "?" } } ?? "" })
                .count
            let crashes = own.count(where: \.crashedDecoder)
            let known = [200, 415, 422, 504].map { status in own.count { $0.status == status } }
            let columns = [
                files, known[0], known[1], known[2] - crashes, crashes, known[3], own.count - known.reduce(0, +),
            ]
            let name = kind.rawValue + String(repeating: " ", count: max(1, 16 - kind.rawValue.count))
            lines.append(
                name + columns.map { Self.column("\($0)") }.joined() + "  "
                    + Self.column("\(own.map(\.milliseconds).max() ?? 0) ms")
            )
        }
        return lines.joined(separator: "\n")
    }

    private static func column(_ text: String) -> String {
        String(repeating: " ", count: max(1, 7 - text.count)) + text
    }
}

extension DaemonProcess {
    /// The number of open descriptors.
    var descriptors: Int { TemporaryFolder.names(in: "/proc/\(identifier)/fd").count }
}
