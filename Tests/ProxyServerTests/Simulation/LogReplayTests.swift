import HTTPCache
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct LogReplayTests {
    private static let sizes = SimulatedCache.Sizes(pictures: 0, raw: 0, originals: 1 << 30, variants: 1 << 30)

    private func line(
        _ target: String,
        _ bytes: Int = 1_000,
        status: Int = 200,
        method: String = "GET",
        more: String = ""
    ) -> String {
        "{\"method\":\"\(method)\",\"target\":\"\(target)\",\"status\":\(status),\"bytes\":\(bytes + LoggedRequest.head)\(more)}"
    }

    private func replay(_ lines: [String], _ change: (inout LogReplay.Settings) -> Void = { _ in }) throws -> LogReplay
    {
        var settings = LogReplay.Settings(sizes: [Self.sizes])
        change(&settings)
        var replay = LogReplay(settings)
        for line in lines { try replay.add(Array(line.utf8)) }
        return replay
    }

    private func results(_ replay: LogReplay) -> [Int] {
        SimulatedCache.Answer.allCases.map { replay.caches[0][$0].requests }
    }

    @Test func `tells apart memory, disk, made from an original, and fetched`() throws {
        let lines = [
            line("/photos/a.jpg?w=1"), line("/photos/a.jpg?w=1"), line("/photos/a.jpg?w=2"), line("/photos/b.jpg"),
            line("/photos/b.jpg"),
        ]
        #expect(results(try replay(lines)) == [0, 2, 1, 2])
        let inMemory = try replay(lines) { $0.sizes[0].pictures = 1 << 20 }
        #expect(results(inMemory) == [2, 0, 1, 2])
        #expect(inMemory.caches[0].hitRatio == 0.6)
    }

    @Test func `a signature, its time and a file's name change nothing`() throws {
        let replay = try replay([
            line("/photos/a.jpg?w=1&exp=1&sig=[redacted]"), line("/photos/a.jpg?w=1"),
            line("/photos/a.jpg?download=1&w=1&filename=x"),
        ])
        #expect(results(replay) == [0, 2, 0, 1] && replay.catalogue.responseCount == 1)
    }

    @Test func `the URL of fetch belongs to the original, and so does the query of a raw source`() throws {
        let fetched = try replay([
            line("/fetch?url=https%3A%2F%2Fx%2Fa&w=1"), line("/fetch?w=1&url=https%3A%2F%2Fx%2Fa"),
            line("/fetch?url=https%3A%2F%2Fx%2Fb&w=1"), line("/fetch?url=https%3A%2F%2Fx%2Fb"),
        ])
        #expect(results(fetched) == [0, 2, 0, 2] && fetched.catalogue.originalCount == 2)
        let raw = try replay([line("/api/a?w=1"), line("/api/a?w=2"), line("/api/a?w=1")]) { settings in
            settings.sources[Array("api".utf8)] = ReplaySource(isRaw: true)
        }
        #expect(results(raw) == [0, 1, 0, 2] && raw.catalogue.originalCount == 2)
    }

    @Test func `folders are not copied, and sources keep what their tiers say`() throws {
        let lines = [line("/local/a.jpg"), line("/local/a.jpg"), line("/local/a.jpg?w=1"), line("/local/a.jpg?w=1")]
        let folder = try replay(lines) { $0.sources[Array("local".utf8)] = ReplaySource(isFolder: true) }
        #expect(results(folder) == [0, 1, 0, 3] && folder.caches[0].originals.entries == 0)
        let none = try replay(lines) { $0.sources[Array("local".utf8)] = ReplaySource(tiers: .init(.none)) }
        #expect(results(none) == [0, 0, 0, 4])
    }

    @Test func `formats that were negotiated are responses of their own`() throws {
        let replay = try replay([
            line("/photos/a.jpg?w=1", more: ",\"format\":\"avif\""),
            line("/photos/a.jpg?w=1", more: ",\"format\":\"webp\""),
            line("/photos/a.jpg?w=1", more: ",\"format\":\"webp\""),
        ])
        #expect(results(replay) == [0, 1, 1, 1])
    }

    @Test func `takes the size of an original from what the log tells, else assumes one`() throws {
        let told = try replay([line("/photos/a.jpg?w=1", 100, more: ",\"saved\":900")])
        #expect(told.caches[0].originals.bytes == 1_000 && told.catalogue.assumedCount == 0)
        let assumed = try replay([line("/photos/a.jpg?w=1", 100)]) { $0.original = 5_000 }
        #expect(assumed.caches[0].originals.bytes == 5_000 && assumed.catalogue.assumedCount == 1)
    }

    @Test func `counts what it leaves out, and names the first line that it cannot read`() throws {
        let replay = try replay([
            line("/photos/a.jpg", 0, status: 304), line("/photos/a.jpg"), "", "torn {",
            line("/photos/a.jpg", 0, status: 304),
            line("/photos/x", status: 404), line("/robots.txt"), line("/photos/a.jpg", method: "POST"), "more",
            line("/photos/\\u2026"), line("/photos/a.jpg", 10, status: 206),
        ])
        #expect(results(replay) == [0, 2, 0, 1])
        let counts = replay.counts
        #expect(counts.lines == 11 && counts.unreadable == 2 && counts.firstUnreadable == 4)
        #expect(counts.unsized == 1 && counts.others == 4)
        #expect(replay.catalogue.responseBytes == 1_000)
        let text = ReplayReport(name: "access.log", replay: replay).text
        #expect(text.contains("2 lines left out") && text.contains("the first is line 4"), "\(text)")
    }

    @Test func `requests of the warm-up are not counted, and a sample has smaller caches`() throws {
        let lines = (0..<4).flatMap { _ in (0..<100).map { line("/photos/\($0).jpg") } }
        let warm = try replay(lines) { $0.warmUp = 100 }
        #expect(warm.caches[0].hitRatio == 1 && warm.replayed == 300)
        let sample = try replay(lines) { $0.sampling = 4 }
        #expect(sample.replayed + sample.counts.unsampled == 400 && sample.replayed > 40 && sample.replayed < 200)
        #expect(sample.caches[0].sizes.originals == 1 << 28 && sample.caches[0].hitRatio == 0.75)
    }

    @Test func `an object that is hot in memory is reported to the disk at most once a minute`() throws {
        // Three variants fill the disk; the first one is served from memory only.
        func at(_ minute: Int, _ name: String) -> String {
            line("/p/\(name)?w=1", 400_000, more: ",\"time\":\"2026-11-21T00:\(minute < 10 ? "0" : "")\(minute):00Z\"")
        }
        let replay = try replay([at(0, "a"), at(0, "a"), at(1, "b"), at(2, "a"), at(3, "c"), at(4, "b")]) { settings in
            settings.sizes[0] = SimulatedCache.Sizes(pictures: 2 << 20, raw: 0, originals: 0, variants: 1_000_000)
        }
        // "b" was the least recently used one when "c" came.
        #expect(results(replay)[SimulatedCache.Answer.memory.rawValue] == 3)
        #expect(replay.caches[0].variants.entries == 2)
    }

    @Test func `sizes beyond all measure are summed without overflow`() throws {
        let lines = (0..<40).map { number in
            "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET /photos/\(number % 20).jpg HTTP/1.1\" 200 \(Int.max)"
        }
        for sampling in [1, 2] {
            let replay = try replay(lines) { $0.sampling = sampling }
            #expect(replay.replayed > 1 && replay.catalogue.responseBytes == .max)
            #expect(replay.caches[0].total.bytes == .max && replay.caches[0].originals.entries == 0)
            let report = ReplayReport(name: "log", replay: replay)
            #expect(report.text.contains(Printing.size(.max)), "\(report.text)")
            #expect(report.json["responseBytes"] == .number(.max))
        }
    }
}
