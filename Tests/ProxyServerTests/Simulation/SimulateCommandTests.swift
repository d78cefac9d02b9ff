import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// `edgeprint simulate` against what the real daemon does.
@Suite(.timeLimit(.minutes(1)))
struct SimulateCommandTests {
    /// The targets of a log: images of 2 to 60 kB with a popularity like Zipf's, some of them resized.
    private static let targets: [String] = {
        var generator = SeededGenerator(seed: 17)
        return (0..<1_500).map { _ in
            // Log-uniform ranks: the share of a rank is inversely proportional to it.
            let rank = Int(exp(Double.random(in: 0..<log(400), using: &generator)))
            let size = 2_000 + (rank * 7_919) % 58_000
            let plan = rank < 20 && Int.random(in: 0..<4, using: &generator) == 0 ? "?w=8&format=png" : ""
            return "/photos/\(rank)-\(size).png\(plan)"
        }
    }()

    /// A daemon that has answered all targets, with the log that it wrote.
    private struct Measurement {
        let folder: TemporaryFolder
        let configuration: String
        let log: String
        /// The share of requests that needed no origin.
        let hitRatio: Double
        /// Bytes of originals and variants on disk.
        let stored: Double
        /// Bytes of the file system that the folder takes.
        let allocated: Double
    }

    private func measure(originals: Int) throws -> Measurement {
        let picture = TestImages.gradient(width: 16, height: 12)
        let origin = try ScriptedOrigin { request, connection in
            let size = request.target.split(separator: "-").last.flatMap { Int($0.dropLast(4)) } ?? 0
            // Bytes behind the end of a PNG are part of the original, and ignored by decoders.
            let padding = [UInt8](repeating: 0, count: max(0, size - picture.count))
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: picture + padding)
        }
        let folder = try TemporaryFolder()
        let log = folder.path + "/access.log"
        let yaml = """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: "\(folder.path)/cache", memory: 1MiB, originals: \(originals)MiB, variants: 1MiB, min-free: 0 }
            overload: { queue-time: 1m }

            """
        let daemon = try DaemonProcess(yaml, in: folder, output: log)
        let client = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000)
        let statistics = try RawHTTPClient(port: daemon.admin, timeoutMilliseconds: 20_000)
        var misses = 0
        for target in Self.targets {
            let answer = try client.get(target)
            #expect(answer.status == 200)
            guard answer["Cache-Status"]?.contains("fwd=") == true else { continue }
            misses += 1
            if misses.isMultiple(of: 4) { try Self.waitForWrites(statistics) }
        }
        try Self.waitForWrites(statistics)
        var counts: [String: Int] = [:]
        let metrics = try RawHTTPClient(port: daemon.admin).get("/metrics").text
        var stored = 0.0
        for line in metrics.split(separator: "\n") where line.hasPrefix("edgeprint_cache_bytes{") {
            if !line.contains("memory") { stored += Double(line.split(separator: " ")[1]) ?? 0 }
        }
        daemon.signal(SIGTERM)
        #expect(daemon.waitForExit() == 0)
        for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
            let result = try #require(JSONValue(parsing: String(line))?["cache"]?.words)
            counts[result, default: 0] += 1
        }
        #expect(counts.values.reduce(0, +) == Self.targets.count)
        let hits = ["memory", "disk", "original"].reduce(0) { $0 + (counts[$1] ?? 0) }
        #expect((counts["disk"] ?? 0) > 0 && (counts["memory"] ?? 0) > 0 && (counts["miss"] ?? 0) > 0, "\(counts)")
        return Measurement(
            folder: folder,
            configuration: daemon.configurationFile,
            log: log,
            hitRatio: Double(hits) / Double(Self.targets.count),
            stored: stored,
            allocated: Self.allocated(folder.path + "/cache")
        )
    }

    /// The bytes that a folder takes on its file system.
    private static func allocated(_ folder: String) -> Double {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.reduce(0) { sum, name in
            var status = stat()
            return unsafe lstat("\(folder)/\(name)", &status) == 0 ? sum + Double(status.st_blocks) * 512 : sum
        }
    }

    /// Waits until everything is stored.
    ///
    /// What waits for the disk answers requests, too; behind a slow disk, that would be as much as so small a cache holds.
    private static func waitForWrites(_ client: RawHTTPClient) throws {
        try waitFor {
            let value = try #require(JSONValue(parsing: try client.get("/stats").text))
            return value["disk.queuedWrites"]?.int == 0 && value["disk.queuedBytes"]?.int == 0 ? true : nil
        }
    }

    @Test func `predicts within three points what a daemon of another size does`() throws {
        let (small, large) = (try measure(originals: 2), try measure(originals: 5))
        #expect(large.hitRatio - small.hitRatio > 0.03, "the sizes must matter: \(small.hitRatio), \(large.hitRatio)")
        for (measured, log) in [(small, large.log), (large, small.log)] {
            let run = try CommandRun(["simulate", "--log", log, "--config", measured.configuration, "--json"])
            let report = try #require(JSONValue(parsing: run.output), "\(run)")
            #expect(run.code == 0 && report["requests"] == .number(Self.targets.count), "\(report)")
            guard case .array(let caches)? = report["caches"] else { throw CancellationError() }
            let predicted = try #require(caches.first?["hitRatio"]?.double)
            #expect(abs(predicted - measured.hitRatio) < 0.03, "\(predicted) instead of \(measured.hitRatio)")
            let stored = ["originals", "variants"].reduce(0.0) { $0 + (caches.first?["\($1).bytes"]?.double ?? 0) }
            #expect(abs(stored / measured.stored - 1) < 0.1, "\(stored) instead of \(measured.stored)")
            let allocated = ["originals", "variants"].reduce(0.0) { sum, name in
                sum + (caches.first?["\(name).allocated"]?.double ?? 0)
            }
            #expect(abs(allocated / measured.allocated - 1) < 0.1, "\(allocated) instead of \(measured.allocated)")
        }
    }

    @Test func `prints a row for each combination of sizes`() throws {
        let lines = (0..<100).map { "{\"target\":\"/p/\($0 % 10).jpg\",\"status\":200,\"bytes\":100000}" }
        let input = lines.joined(separator: "\n") + "\nnot a line\n"
        let run = try CommandRun(
            ["simulate", "--log", "-", "--cache", "2MiB", "--cache", "1GiB", "--memory", "0", "--memory", "64MiB"],
            input: input
        )
        #expect(run.code == 0 && run.errors.isEmpty, "\(run)")
        let rows = run.output.split(separator: "\n")
        #expect(rows[0].contains("101 lines, 100 requests replayed, for 10 responses of 10 originals"), "\(rows[0])")
        #expect(rows[1].contains("1 line left out") && rows[1].hasSuffix("the first is line 101"), "\(rows[1])")
        #expect(rows.count == 7, "\(run.output)")
        #expect(rows[6].contains("64 MiB") && rows[6].contains("90.0 %"), "\(rows[6])")
    }

    @Test func `reports a log that it cannot use`() throws {
        let missing = try CommandRun(["simulate", "--log", "/nowhere/access.log"])
        #expect(missing.code == 1 && missing.errors.contains("/nowhere/access.log"), "\(missing)")
        let other = try CommandRun(["simulate", "--log", "-"], input: "\nGET / 200\n")
        #expect(other.code == 1 && other.errors.contains("line 2 is neither"), "\(other)")
        let empty = try CommandRun(["simulate", "--log", "-"])
        #expect(empty.code == 1 && empty.errors.contains("there is no request"), "\(empty)")
        for arguments in [["--cache", "x"], ["--cache", "1"], ["--sample", "0"], ["--warm-up", "-1"]] {
            #expect(try CommandRun(["simulate", "--log", "-"] + arguments).code == 64, "\(arguments)")
        }
        let small = try CommandRun(["simulate", "--log", "-", "--cache", "1MiB"])
        #expect(small.errors.contains("'1MiB' is not a size such as 20GiB, from 2MiB."), "\(small)")
    }
}
