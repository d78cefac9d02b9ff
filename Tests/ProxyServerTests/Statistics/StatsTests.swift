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

    private func parse(_ text: String) throws -> JSONValue { try #require(JSONValue(parsing: text)) }

    private func lines(_ now: JSONValue, before: JSONValue? = nil, seconds: Double = 1) -> String {
        let table = StatisticsTable.all
        return StatisticsLines(table, StatisticsChange(now, before: before, seconds: seconds, table: table)).text
    }

    @Test func `reports requests, caches and transforms`() throws {
        let rig = try rig()
        for _ in 1...4 { _ = try rig.get("/photos/a.png?w=4&format=png") }
        #expect(try rig.get("/nowhere").status == 404)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 1)
        let answer = try RawHTTPClient(port: rig.daemon.admin).get("/stats")
        #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
        let stats = try parse(answer.text)
        let expected: [(String, JSONValue)] = [
            ("version", .string(Version.text)), ("ready", .bool(true)), ("requests.total", .number(5)),
            ("requests.results.memory", .number(3)), ("requests.results.miss", .number(1)),
            ("requests.statuses.2xx", .number(4)), ("requests.statuses.4xx", .number(1)), ("hitRatio", .decimal(0.75)),
            ("memory.quota", .number(64 << 20)), ("raw", .null), ("disk.health", .string("ok")),
            ("disk.variants.entries", .number(1)), ("disk.originals.entries", .number(1)),
            ("disk.originals.quota", .number(10 << 30)), ("transfers.requests", .number(1)),
            ("transfers.bytes", .number(picture.count)),
            ("transfers.outcomes", .object([.init("fetched", .number(1))])), ("workers.jobs", .number(1)),
            ("connections.accepted", .number(5)), ("connections.limit", .number(10_000)),
        ]
        for (path, value) in expected { #expect(stats[path] == value, "\(path)") }
        let bounds = [
            ("uptime", 0...59), ("memory.entries", 1...9), ("memoryPressure.allowed", 1...64 << 20),
            ("workers.slots", 1...1000), ("workers.residentBytes", 1 << 20...1 << 40),
        ]
        for (path, bounds) in bounds {
            #expect(bounds.contains(try #require(stats[path]?.int)), "\(path)")
        }
        #expect(answer.text.contains("\"memoryPressure\":{\"allowed\":"))
    }

    @Test func `lists the formats that can be read and written, and the libraries`() throws {
        let rig = try rig()
        // Several concurrent requests query one worker.
        let clients = try (0..<3).map { _ in try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 30_000) }
        for client in clients { try client.send("GET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        let answers = try clients.map { try parse($0.readResponse().text)["coders"] }
        let coders = try #require(answers[0])
        #expect(answers.allSatisfy { $0 == coders })
        guard case .array(let formats)? = coders["formats"] else {
            Issue.record("no formats in \(coders.text)")
            return
        }
        #expect(formats.map { $0["format"]?.words } == ImageFormat.allCases.map { "\($0)" })
        let libvips = try #require(coders["libvips"]?.words)
        #expect(libvips.hasPrefix("8.") && coders["libraries.libwebp"] != nil)
        let webp = try #require(formats.first { $0["format"] == .string("webp") })
        #expect(webp["decodes"] == .bool(true) && webp["encodes"] == .bool(true))
        #expect(webp["type"] == .string("image/webp") && webp["problem"] == nil)
        #expect(webp["settings"]?.words.contains("near_lossless") == true)
        let faces = [
            "/usr/local/share/edgeprint/yunet.onnx", "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml",
        ]
        #expect(coders["faces"] == .bool(faces.contains { FileManager.default.isReadableFile(atPath: $0) }))
        let svgz = try #require(formats.first { $0["format"] == .string("svgz") })
        #expect(svgz["decodes"] == .bool(true) && svgz["encodes"] == .bool(false) && svgz["settings"] == .array([]))
        #expect(!lines(.object([.init("coders", .null)])).contains("coders"))
        let text = lines(.object([.init("coders", coders)]))
        #expect(text.contains("coders        libvips \(libvips), reads jpeg png gif webp "))
        #expect(text.contains("\n              writes jpeg png gif webp "))
    }

    @Test func `a worker that does not respond leaves the coders out, and is queried again`() throws {
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
        #expect(watch.output.contains("requests      1 (0/s), 0 in progress"), "\(watch.output)")
        let json = try CommandRun(["stats", "--json", "--admin", admin, "--watch", "0.1", "--count", "2"])
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines { #expect(try parse(String(line))["requests.total"] == .number(1)) }
    }

    @Test func `computes rates from two snapshots, and none across a restart`() throws {
        let before = try parse(
            #"{"uptime":100,"requests":{"total":10,"inFlight":0,"bytes":1048576,"results":{"memory":5,"miss":5}}}"#
        )
        let now = try parse(
            """
            {"uptime":102,"requests":{"total":110,"inFlight":0,"bytes":3145728,"results":{"memory":95,"miss":15}},
             "memory":{"bytes":524288,"entries":1,"quota":1048576,"evictions":0}}
            """
        )
        let text = lines(now, before: before, seconds: 2)
        #expect(text.contains("110 (50/s), 90 % without origin, 0 in progress, 3 MiB sent (1 MiB/s)"), "\(text)")
        #expect(text.contains("memory 95 (45/s), miss 15 (5/s)"))
        #expect(text.contains("512 KiB of 1 MiB (50 %), 1 entry, 0 evicted"))
        #expect(!lines(before, before: now, seconds: 2).contains("/s"))
        #expect(lines(now).contains("110, 86 % without origin"))
        #expect(RequestResult.hitRatio { _ in 0 } == nil)
    }

    @Test func `reports dropped writes of originals and variants separately`() throws {
        func line(_ name: String, _ disk: String) throws -> Substring? {
            try lines(parse("{\"disk\":{\"health\":\"ok\",\(disk)}}")).split(separator: "\n").first {
                $0.hasPrefix(name)
            }
        }
        let one = #""drops":2,"originalDrops":2,"variantDrops":0,"errors":0"#
        #expect(try line("originals", one)?.hasSuffix("2 drops") == true)
        #expect(try line("variants", one) == nil && line("disk", one) == nil)
        let both = #""drops":3,"originalDrops":2,"variantDrops":1,"errors":1"#
        #expect(try line("variants", both)?.hasSuffix("1 drop") == true)
        #expect(try line("disk", both)?.hasSuffix("1 error") == true)
    }

    @Test func `reports the reduced limit while memory pressure keeps it below the quotas`() throws {
        func memory(_ allowed: Int, _ steps: Int) throws -> String {
            try lines(
                parse(
                    """
                    {"memory":{"quota":2097152},"raw":{"quota":1048576},
                     "memoryPressure":{"allowed":\(allowed),"steps":\(steps)}}
                    """
                )
            )
        }
        #expect(try memory(1 << 20, 1) == "memory        limited to 1 MiB by memory pressure\n")
        #expect(try memory(3 << 20, 1) == "" && memory(1 << 20, 0) == "")
    }

    @Test func `reports why there is nothing to print`() throws {
        #expect(try CommandRun(["stats", "--admin", "127.0.0.1:1"]).errors.contains("cannot connect to 127.0.0.1:1"))
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
