import Foundation
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct StatsTests {
    private let picture = TestImages.gradient(width: 64, height: 48)

    private func rig() throws -> EndToEndRig {
        try EndToEndRig { [picture] _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
    }

    private func snapshot(_ text: String) throws -> StatsSnapshot {
        try JSONDecoder().decode(StatsSnapshot.self, from: Data(text.utf8))
    }

    @Test func `answers what was asked, kept and made`() throws {
        let rig = try rig()
        for _ in 1...4 { _ = try rig.get("/photos/a.png?w=4&format=png") }
        #expect(try rig.get("/nowhere").status == 404)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 1)
        let answer = try RawHTTPClient(port: rig.daemon.admin).get("/stats")
        #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
        let stats = try snapshot(answer.text)
        #expect(stats.version == Version.text && stats.ready && stats.uptime < 60)
        #expect(stats.requests.total == 5)
        #expect(stats.requests.results["memory"] == 3 && stats.requests.results["miss"] == 1)
        #expect(stats.requests.statuses["2xx"] == 4 && stats.requests.statuses["4xx"] == 1)
        #expect(stats.requests.hitRatio == 0.75)
        #expect(answer.text.contains("\"hitRatio\":0.75"))
        #expect(stats.memory.entries >= 1 && stats.memory.quota == 64 << 20)
        #expect(stats.memoryPressure.allowed <= 64 << 20 && answer.text.contains("\"memoryPressure\":{\"allowed\":"))
        #expect(stats.disk.health == "ok" && stats.disk.variants.entries == 1 && stats.disk.originals.entries == 1)
        #expect(stats.disk.originals.quota == 10 << 30)
        #expect(stats.transfers.requests == 1 && stats.transfers.bytes == picture.count)
        #expect(stats.transfers.outcomes == ["fetched": 1])
        #expect(stats.workers.jobs == 1 && stats.workers.slots > 0 && stats.workers.residentBytes > 1 << 20)
        #expect(stats.connections.accepted == 5 && stats.connections.limit == 10_000)
    }

    @Test func `lists what can be read and written, by which libraries`() throws {
        let rig = try rig()
        // Several at once: one worker is asked.
        let clients = try (0..<3).map { _ in try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 30_000) }
        for client in clients { try client.send("GET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        let answers = try clients.map { try snapshot($0.readResponse().text).coders }
        let coders = try #require(answers[0])
        #expect(answers.allSatisfy { $0 == coders })
        #expect(coders.formats.map(\.format) == ImageFormat.allCases.map { "\($0)" })
        #expect(coders.libvips.hasPrefix("8.") && coders.libraries["libwebp"] != nil)
        let webp = coders.formats.first { $0.format == "webp" }
        #expect(webp?.decodes == true && webp?.encodes == true && webp?.type == "image/webp")
        #expect(webp?.settings.contains("near_lossless") == true && webp?.problem == nil)
        let svgz = coders.formats.first { $0.format == "svgz" }
        #expect(svgz?.decodes == true && svgz?.encodes == false && svgz?.settings == [])
        var now = StatsSnapshot()
        #expect(!StatsTable(now).text.contains("coders"))
        now.coders = coders
        #expect(StatsTable(now).text.contains("\ncoders        libvips \(coders.libvips), reads jpeg png gif webp "))
        #expect(StatsTable(now).text.contains("\n              writes jpeg png gif webp "))
    }

    @Test func `a worker that does not answer leaves the coders out, and is asked again`() throws {
        let asked = Lock(0)
        let survey = CoderSurvey {
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return number < 3 ? nil : WorkerCapabilities(protocolVersion: 1, libvips: "8", codecs: [], libraries: [])
        }
        let answers = Signal<[String?]>([])
        for number in 1...4 {
            survey.whenKnown { found in answers.update { $0.append(found?.libvips) } }
            try answers.wait { $0.count == number }
        }
        #expect(answers.value == [nil, nil, "8", "8"])
        #expect(asked.withLock { $0 } == 3)
    }

    @Test func `prints a table, JSON lines and rates`() throws {
        let rig = try rig()
        _ = try rig.get("/photos/a.png?w=4&format=png")
        let admin = "127.0.0.1:\(rig.daemon.admin)"
        let table = try CommandRun(["stats", "--admin", admin])
        #expect(table.code == 0, "\(table.errors)")
        for text in [
            "edgeprint     \(Version.text), up ", "requests      1", "miss 1", "workers       ", "of 10000 open",
        ] {
            #expect(table.output.contains(text), "\(text) in \(table.output)")
        }
        #expect(!table.output.contains("/s"))
        let watch = try CommandRun(["stats", "--admin", admin, "--watch", "0.1", "--count", "3"])
        #expect(watch.output.split(separator: "\n").count { $0.hasPrefix("requests ") } == 3)
        #expect(watch.output.contains("requests      1 (0/s), 0 under way"), "\(watch.output)")
        let json = try CommandRun(["stats", "--json", "--admin", admin, "--watch", "0.1", "--count", "2"])
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines { #expect(try snapshot(String(line)).requests.total == 1) }
    }

    @Test func `counts rates from two snapshots, and none over a restart`() {
        var (before, now) = (StatsSnapshot(), StatsSnapshot())
        (before.uptime, now.uptime) = (100, 102)
        before.requests = .init(total: 10, results: ["memory": 5, "miss": 5], bytes: 1 << 20)
        now.requests = .init(total: 110, results: ["memory": 95, "miss": 15], bytes: 3 << 20)
        now.memory = .init(entries: 1, bytes: 512 << 10, quota: 1 << 20)
        let text = StatsTable(now, before: before, seconds: 2).text
        #expect(text.contains("110 (50/s), 90 % without origin, 0 under way, 3 MiB sent (1 MiB/s)"), "\(text)")
        #expect(text.contains("memory 95 (45/s), miss 15 (5/s)"))
        #expect(text.contains("512 KiB of 1 MiB (50 %), 1 entry, 0 evicted"))
        #expect(!StatsTable(before, before: now, seconds: 2).text.contains("/s"))
        #expect(StatsTable(now).text.contains("110, 86 % without origin"))
        #expect(StatsSnapshot.Requests().hitRatio == nil)
    }

    @Test func `tells what was not written of originals and of variants apart`() throws {
        var now = StatsSnapshot()
        now.disk.health = "ok"
        (now.disk.drops, now.disk.originalDrops) = (2, 2)
        func line(_ name: String) -> Substring? {
            StatsTable(now).text.split(separator: "\n").first { $0.hasPrefix(name) }
        }
        #expect(line("originals")?.hasSuffix(", 2 drops") == true)
        #expect(line("variants")?.contains("drop") == false && line("disk") == nil)
        (now.disk.drops, now.disk.variantDrops, now.disk.errors) = (3, 1, 1)
        #expect(line("variants")?.hasSuffix(", 1 drop") == true && line("disk")?.hasSuffix("1 error") == true)
        let decoded = try snapshot(now.json.text)
        #expect(decoded.disk.originalDrops == 2 && decoded.disk.variantDrops == 1)
    }

    @Test func `says why there is nothing to print`() throws {
        #expect(try CommandRun(["stats", "--admin", "127.0.0.1:1"]).errors.contains("nobody answers at 127.0.0.1:1"))
        #expect(try CommandRun(["stats", "--watch", "0"]).code == 64)
        #expect(try CommandRun(["stats", "--count", "3"]).code == 64)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1 KiB"), (1536, "1.5 KiB"), (10 << 30, "10 GiB"), (5 << 40, "5 TiB"),
    ])
    func `prints sizes in the unit that fits`(_ bytes: Int, _ text: String) {
        #expect(Printing.size(bytes) == text)
    }

    @Test(arguments: [(0, "0s"), (59, "59s"), (61, "1m 1s"), (3600, "1h 0m"), (200_000, "2d 7h")])
    func `prints durations in two units`(_ seconds: Int, _ text: String) {
        #expect(Printing.duration(seconds) == text)
    }
}
