import Foundation
import HTTPSemantics
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct AccessLogTests {
    private let record = AccessLog.Record(
        time: 784_111_777,
        client: .ipv4(0x7F00_0001),
        method: "GET",
        status: 200,
        bytes: 4_711,
        duration: 812,
        result: .memory,
        isComplete: true,
        trace: TraceContext(high: 0xABCD, low: 1)
    )
    private static let id = "000000000000abcd0000000000000001"

    private func lines(_ format: LogFormat, _ body: (inout AccessLog) -> Void) throws -> String {
        let pair = try DescriptorPair(.pipe)
        var log = AccessLog(format: format, sink: LineSink(descriptor: pair.writing))
        body(&log)
        log.flush()
        return pair.readText()
    }

    @Test func `writes a line of JSON`() throws {
        let text = try lines(.json) { $0.append(record, target: "/demo/a.jpg?w=200".utf8Span.span) }
        #expect(
            text
                == #"{"time":"1994-11-06T08:49:37Z","client":"127.0.0.1","method":"GET","target":"/demo/a.jpg?w=200","#
                + #""status":200,"bytes":4711,"duration_us":812,"cache":"memory","id":"\#(Self.id)","ms":0.812}"# + "\n"
        )
    }

    @Test func `writes a line of text`() throws {
        let text = try lines(.text) { log in
            log.append(record, target: "/a".utf8Span.span)
            var other = record
            (other.method, other.isComplete, other.client) = ("", false, .unix)
            log.append(other, target: "".utf8Span.span)
        }
        #expect(
            text == """
                1994-11-06T08:49:37Z 127.0.0.1 GET "/a" 200 4711 812us memory id=\(Self.id)
                1994-11-06T08:49:37Z unix - "" 200 4711 812us memory aborted id=\(Self.id)

                """
        )
    }

    @Test(arguments: LogFormat.allCases)
    func `escapes input that would forge a line`(format: LogFormat) throws {
        let evil = Array("/\"} \r\n{\"status\":500,\u{1B}[31m\u{0}".utf8) + [0xFF, 0xC3]
        let text = try lines(format) { $0.append(record, target: evil.span) }
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(text.utf8.allSatisfy { $0 == UInt8(ascii: "\n") || (0x20...0x7E).contains($0) })
        guard format == .json else { return }
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["status"] as? Int == 200)
        #expect((object["target"] as? String)?.unicodeScalars.map(\.value) == evil.map(UInt32.init))
    }

    @Test func `buffers until the end of the loop's turn, or until the buffer is full`() throws {
        let pair = try DescriptorPair(.pipe)
        var log = AccessLog(format: .json, sink: LineSink(descriptor: pair.writing))
        log.append(record, target: "/a".utf8Span.span)
        #expect(pair.readAvailable().isEmpty)
        log.flush()
        #expect(!pair.readAvailable().isEmpty)
        log.flush()
        #expect(pair.readAvailable().isEmpty)
        let long = String(repeating: "x", count: 5_000)
        for _ in 0..<65 { log.append(record, target: long.utf8Span.span) }
        let written = pair.readText()
        #expect(!written.isEmpty)
        #expect(written.split(separator: "\n").allSatisfy { $0.contains(#"xx\u2026","#) && $0.utf8.count < 1_300 })
    }

    @Test func `names each result`() {
        #expect(RequestResult(CacheStatus.hit(.memory)) == .memory)
        #expect(RequestResult(CacheStatus.hit(.disk)) == .disk)
        #expect(RequestResult(CacheStatus.hit(.original)) == .original)
        #expect(RequestResult(CacheStatus.hit(.stale)) == .stale)
        #expect(RequestResult(CacheStatus.hit(.negative)) == .negative)
        #expect(RequestResult(CacheStatus.miss) == .miss)
        #expect(RequestResult(CacheStatus.collapsedMiss) == .collapsed)
        #expect(RequestResult(CacheStatus.revalidated) == .revalidated)
        #expect(RequestResult(CacheStatus.forwarded(.stale, status: 200, collapsed: true)) == .collapsed)
        #expect(RequestResult(CacheStatus.fallback) == .fallback)
    }
}
