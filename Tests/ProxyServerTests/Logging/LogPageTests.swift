import Foundation
import Glibc
import HTTPSemantics
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline
@testable import ProxyServer

/// The page 'Logs' says what the daemon writes, and its examples work on real lines.
@Suite(.timeLimit(.minutes(2)))
struct LogPageTests {
    private static let page = "Sources/ProxyServer/ProxyServer.docc/Logs.md"

    /// The names of the fields below a heading, by how they are documented to appear.
    private func fields(below heading: String) throws -> [(name: String, type: String, presence: String)] {
        try MarkdownTable(in: Self.page, below: heading).rows.map { row in
            (row[0].replacing("`", with: ""), row[1], row[2])
        }
    }

    /// The commands of the page.
    private func examples() throws -> [String] {
        let text = try String(contentsOfFile: Checkout.path(Self.page), encoding: .utf8)
        return text.components(separatedBy: "```sh\n").dropFirst().map { part in
            part.components(separatedBy: "\n```")[0]
        }
    }

    /// The names of an object's members, those of inner objects with the outer name.
    private func names(_ object: [String: Any], in outer: String = "") -> Set<String> {
        var names: Set<String> = []
        for (name, value) in object {
            names.insert(outer + name)
            if let inner = value as? [String: Any] { names.formUnion(self.names(inner, in: "\(outer)\(name).")) }
        }
        return names
    }

    private func object(_ line: some StringProtocol) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func `documents the fields of the access log in the order in which they are written`() throws {
        var stages = StageTimings()
        (stages.fetch, stages.queue, stages.decode, stages.transform) = (1, 2, 3, 4)
        (stages.encode, stages.store) = (5_000, 1_234_567)
        (stages.phases.resolve, stages.phases.connect, stages.phases.secure, stages.phases.firstByte) = (7, 8, 9, 10)
        let sources = SourceNumbers()
        let bits = AnswerTag.bits(ofSource: sources.number(of: "shop/photos")) | RequestResult.miss.tag
        let pair = try DescriptorPair(.pipe)
        var log = AccessLog(format: .json, sink: LineSink(descriptor: pair.writing), sources: sources)
        let record = AccessLog.Record(
            time: 784_111_777,
            client: .ipv6(0x2001_0DB8_0001_0002, 7),
            method: "GET",
            status: 200,
            bytes: 4_711,
            duration: 812,
            result: .miss,
            isComplete: false,
            trace: TraceContext(high: 0xABCD, low: 1),
            tag: AnswerTag(bits | UInt64(EntityFormat.webp.rawValue) << 9),
            saved: -12,
            stages: stages
        )
        log.append(record, target: "/photos/a.jpg?w=200".utf8Span.span)
        log.flush()
        let line = pair.readText()
        #expect(
            line.contains(
                #""ms":0.812,"source":"shop/photos","format":"webp","saved":-12,"account":"2001:db8:1:2::/64","stages":{"#
                    + #""fetch":0.001,"fetch_dns":0.007,"fetch_connect":0.008,"fetch_tls":0.009,"fetch_first_byte":0.010,"#
                    + #""queue":0.002,"decode":0.003,"transform":0.004,"encode":5.000,"store":1234.567}}"#
            ),
            "\(line)"
        )
        let documented = try fields(below: "## Fields of the access log").map(\.name)
        let written = try names(object(line))
        #expect(written == Set(documented))
        let places = documented.map { name in
            line.firstRange(of: "\"\(name.split(separator: ".").last ?? "")\":")?.lowerBound
        }
        #expect(
            zip(places, places.dropFirst()).allSatisfy { first, second in
                first.flatMap { first in second.map { first < $0 } } ?? false
            }
        )
    }

    @Test func `documents every result and every format`() throws {
        let rows = try MarkdownTable(in: Self.page, below: "## Fields of the access log").rows
        func values(_ field: String) throws -> [String] {
            let row = try #require(rows.first { $0[0] == "`\(field)`" })
            return row[3].matches(of: /`([a-z0-9]+)`/).map { String($0.1) }
        }
        #expect(try values("cache") == RequestResult.allCases.map(\.value))
        #expect(try values("format") == EntityFormat.allCases.map(\.value))
    }

    /// The requests whose lines the examples are asked about: a miss, hits, and failures.
    private func send(_ get: (String) throws -> RawHTTPResponse) throws {
        #expect(try get("/photos/a.png?w=8&format=webp").status == 200)
        #expect(try get("/photos/a.png?w=8&format=webp").status == 200)
        #expect(try get("/photos/a.png?w=4&format=png").status == 200)
        #expect(try get("/photos/a.png").status == 200)
        #expect(try get("/photos/broken.png?w=4").status == 502)
        #expect(try get("/nowhere/a.png?w=4").status == 404)
    }

    private static let picture = TestImages.gradient(width: 120, height: 90)
    private static let script: ScriptedOrigin.Script = { request, connection in
        if request.target.contains("broken") { return connection.respond("500 Oops", text: "no") }
        connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
    }

    /// Checks the output of all examples, in the page's order.
    private func check(_ outputs: [String]) throws {
        let outputs = try outputs.map { try $0.split(separator: "\n").map { try object($0) } }
        try #require(outputs.count == 8 && outputs.allSatisfy { !$0.isEmpty })
        let slowest = outputs[0].compactMap { $0["ms"] as? Double }
        #expect(slowest == slowest.sorted(by: >) && slowest.count == 6)
        let counts = Dictionary(
            uniqueKeysWithValues: outputs[1].map { ($0["cache"] as? String ?? "", $0["requests"] as? Int ?? 0) }
        )
        #expect(
            counts["memory"] == 1 && counts["error"] == 1 && counts["refused"] == 1 && counts.values.reduce(0, +) == 6
        )
        #expect((outputs[2][0]["encode"] as? [String: Any])?["count"] as? Int == 2)
        #expect(outputs[2][0]["fetch"] != nil)
        #expect(outputs[3].map { $0["source"] as? String } == ["photos"])
        #expect(try #require(outputs[3][0]["saved"] as? Int) > 0)
        #expect(outputs[4].map { $0["format"] as? String } == ["png", "webp"])
        #expect(outputs[4].map { $0["responses"] as? Int } == [2, 2])
        #expect(outputs[5][0]["source"] as? String == "photos" && outputs[5][0]["status"] as? String == "502")
        #expect(outputs[6].count == 2 && outputs[6].contains { $0["message"] as? String == "request failed" })
        #expect(outputs[7].compactMap { $0["requests"] as? Int }.reduce(0, +) == 6)
    }

    @Test func `its examples work on the lines of a daemon, all of whose fields are documented`() throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin(Self.script)
        let access = folder.path + "/access"
        let daemon = try DaemonProcess(
            """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: "\(folder.path)/cache" }
            overload: { queue-time: 1m }
            limits: { retries: 0 }

            """,
            in: folder,
            output: access
        )
        try send { try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get($0) }
        let lines = try waitFor {
            let lines = try String(contentsOfFile: access, encoding: .utf8).split(separator: "\n").map(String.init)
            return lines.count < 6 ? nil : lines
        }
        try daemon.waitForLog("request failed")
        let documented = Dictionary(
            uniqueKeysWithValues: try fields(below: "## Fields of the access log").map { ($0.name, $0) }
        )
        for line in lines {
            let names = names(try object(line))
            #expect(names.isSubset(of: documented.keys), "\(line)")
            let always = documented.values.filter { $0.presence == "always" }.map(\.name)
            #expect(names.isSuperset(of: always), "\(line)")
        }
        let events = daemon.logText.split(separator: "\n").map(String.init)
        let eventFields = Set(try fields(below: "## Fields of the event log").map(\.name))
        for line in events { #expect(Set(try object(line).keys).isSubset(of: eventFields), "\(line)") }
        // Each line as journald stores it; LogPageTests with the units ask a real journal.
        try (lines + events).joined(separator: "\n").write(
            toFile: folder.path + "/log",
            atomically: false,
            encoding: .utf8
        )
        let journal = "journalctl() { jq -cR '{MESSAGE: .}' '\(folder.path)/log'; }\n"
        try check(
            try examples().map { example in
                let run = try CommandRun(program: "/bin/sh", ["-c", journal + example])
                #expect(run.code == 0 && run.errors.isEmpty, "\(example)\n\(run.errors)")
                return run.output
            }
        )
    }

    @Test(.enabled(if: BootedUnits.obstacle.isEmpty, "\(BootedUnits.obstacle)"))
    func `its examples work on the journal of the deployed unit`() throws {
        let origin = try ScriptedOrigin(Self.script)
        let units = try BootedUnits(
            """
            sources: { photos: { url: "http://localhost:\(origin.port)/", allow-private: true } }
            overload: { queue-time: 1m }
            limits: { retries: 0 }

            """
        )
        try send { try units.get($0) }
        try waitFor {
            let journal = try units.journal()
            let count = journal.split(separator: "\n").count { $0.contains("\"target\":") }
            return count >= 6 && journal.contains("request failed") ? true : nil
        }
        try check(
            try examples().map { example in
                let run = try units.run("/bin/sh", "-c", example)
                #expect(run.code == 0 && run.errors.isEmpty, "\(example)\n\(run.errors)")
                return run.output
            }
        )
    }
}
