import Foundation
import LinuxSystem
import Logging
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct EventLogHandlerTests {
    private struct FixedTime: TimeSource {
        let monotonic: Int64 = 0
        let wallSeconds: Int64 = 784_111_777
    }

    private func lines(_ format: LogFormat, _ level: LogLevel = .info, _ body: (Logger) -> Void) throws -> String {
        let pair = try DescriptorPair(.pipe)
        let sink = LineSink(descriptor: pair.writing)
        body(
            Logger.events(
                format,
                level: LogLevelCell(level),
                sink: sink,
                budget: LineBudget(rate: 0),
                time: FixedTime()
            )
        )
        return pair.readText()
    }

    @Test func `writes JSON and text`() throws {
        let body = { (log: Logger) in
            log.warning("worker ended", metadata: ["signal": "9", "pid": "12"])
            log.info("ready")
        }
        #expect(
            try lines(.json, .info, body)
                == #"{"time":"1994-11-06T08:49:37Z","level":"warning","message":"worker ended","context":{"pid":"12","signal":"9"}}"#
                + "\n" + #"{"time":"1994-11-06T08:49:37Z","level":"info","message":"ready"}"# + "\n"
        )
        #expect(
            try lines(.text, .info, body) == """
                1994-11-06T08:49:37Z warning: worker ended pid="12" signal="9"
                1994-11-06T08:49:37Z info: ready

                """
        )
    }

    @Test(arguments: LogLevel.allCases)
    func `writes events from its level upwards`(level: LogLevel) throws {
        let text = try lines(.text, level) { log in
            for level in Logger.Level.allCases { log.log(level: level, "x") }
        }
        let expected = LogLevel.allCases.drop { $0 != level }.map(\.rawValue)
        #expect(text.split(separator: "\n").map { String($0.split(separator: " ")[1].dropLast()) } == expected)
    }

    @Test(arguments: LogFormat.allCases)
    func `escapes input that would forge a line`(format: LogFormat) throws {
        let evil = "a\"\n1994 info: ready\r\u{1B}[2J\u{202E}"
        let text = try lines(format) { $0.error("\(evil)", metadata: ["k\n\"": "\(evil)"]) }
        #expect(text.unicodeScalars.count { $0 == "\n" } == 1)
        #expect(!text.unicodeScalars.contains { ["\r", "\u{1B}", "\u{202E}"].contains($0) })
        guard format == .json else { return }
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["message"] as? String == evil)
        #expect((object["context"] as? [String: String])?["k\n\""] == evil)
    }

    @Test func `includes a logger's metadata and an error`() throws {
        let text = try lines(.text) { log in
            var log = log
            log[metadataKey: "a"] = "1"
            log[metadataKey: "b"] = "2"
            log.info("x", metadata: ["b": "3"])
        }
        #expect(text.hasSuffix("info: x a=\"1\" b=\"3\"\n"))
    }

    @Test func `follows a changing level, except for copies with their own`() throws {
        let pair = try DescriptorPair(.pipe)
        let level = LogLevelCell(.warning)
        let log = Logger.events(
            .text,
            level: level,
            sink: LineSink(descriptor: pair.writing),
            budget: LineBudget(rate: 0),
            time: FixedTime()
        )
        var own = log
        own.logLevel = .critical
        log.info("a")
        level.set(.debug)
        log.debug("b")
        own.error("c")
        level.set(.error)
        log.warning("d")
        #expect(pair.readText() == "1994-11-06T08:49:37Z debug: b\n")
    }
}
