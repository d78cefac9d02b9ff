import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPKit
@testable import ImagePipeline
@testable import ProxyServer

/// The memory of recent requests.
@Suite(.timeLimit(.minutes(1)))
struct RequestRecorderTests {
    private let time = ManualTime()

    private func recorder(_ capacity: Int = 8, loops: Int = 1) -> RequestRecorder {
        RequestRecorder(capacity: capacity, loops: loops, time: time)
    }

    /// Ends an exchange, and lets time pass.
    private func finish(
        _ recorder: RequestRecorder,
        _ result: RequestResult,
        status: UInt16 = 200,
        milliseconds: Int64 = 1,
        loop: Int = 0,
        target: String = "/photos/a.png",
        note: AnswerNote? = nil,
        later seconds: Int64 = 1
    ) {
        var exchange = ExchangeSummary(
            method: .get,
            status: status,
            minorVersion: 1,
            bytesSent: 100,
            duration: milliseconds * 1_000_000,
            isComplete: true,
            tag: result.tag,
            amount: 0,
            peer: .unix,
            trace: TraceContext(high: 1, low: 2),
            loop: loop
        )
        exchange.note = note
        let bytes = Array(target.utf8)
        recorder.finished(exchange, result, target: bytes.span)
        time.advance(seconds: seconds)
    }

    @Test func `remembers the most recent requests of each loop`() {
        let recorder = recorder(3, loops: 2)
        for index in 0..<10 { finish(recorder, .miss, loop: index % 2, target: "/\(index)") }
        let recent = recorder.read().recent.map { String(decoding: $0.target, as: UTF8.self) }
        #expect(recent == ["/9", "/8", "/7", "/6", "/5", "/4"])
    }

    @Test func `hits are recorded only while a page is open`() {
        let recorder = recorder()
        finish(recorder, .memory)
        finish(recorder, .disk)
        #expect(recorder.read().recent.isEmpty && !recorder.isWatched)
        recorder.watch(seconds: 10)
        finish(recorder, .memory)
        #expect(recorder.read().recent.count == 1)
        time.advance(seconds: 20)
        finish(recorder, .memory)
        #expect(recorder.read().recent.count == 1 && !recorder.isWatched)
    }

    @Test func `a flood of hits is sampled`() {
        let clock = ManualTime()
        let recorder = RequestRecorder(capacity: 100, loops: 1, time: clock)
        recorder.watch(seconds: 10)
        let bytes = Array("/a".utf8)
        for _ in 0..<1_000 {
            let exchange = ExchangeSummary(
                method: .get,
                status: 200,
                minorVersion: 1,
                bytesSent: 1,
                duration: 1_000,
                isComplete: true,
                tag: RequestResult.memory.tag,
                amount: 0,
                peer: .unix,
                trace: TraceContext(high: 1, low: 2),
                loop: 0
            )
            recorder.finished(exchange, .memory, target: bytes.span)
        }
        #expect(recorder.read().recent.count == 1)
    }

    @Test func `the slowest requests stay for ten minutes, and faster ones give way`() {
        let recorder = recorder(2)
        finish(recorder, .miss, milliseconds: 9_000, target: "/slow")
        for index in 0..<100 { finish(recorder, .miss, milliseconds: Int64(index), target: "/\(index)") }
        let slowest = recorder.read().slowest
        #expect(slowest.count == 24)
        #expect(slowest.first.map { String(decoding: $0.target, as: UTF8.self) } == "/slow")
        #expect(slowest.dropFirst().first?.duration == 99_000 && slowest.last?.duration == 77_000)
        time.advance(seconds: 700)
        #expect(recorder.read().slowest.isEmpty)
        finish(recorder, .miss, milliseconds: 1, target: "/new")
        #expect(recorder.read().slowest.count == 1)
    }

    @Test func `failures are not displaced by other requests`() {
        let recorder = recorder(2)
        finish(recorder, .refused, status: 404, target: "/none")
        for index in 0..<50 { finish(recorder, .miss, target: "/\(index)") }
        #expect(recorder.read().failed.map { String(decoding: $0.target, as: UTF8.self) } == ["/none"])
        for index in 0..<100 { finish(recorder, .error, status: 502, target: "/\(index)") }
        #expect(recorder.read().failed.count == 64)
    }

    @Test func `failures are not lost to a request of the same moment`() {
        let recorder = recorder()
        finish(recorder, .miss, target: "/a", later: 0)
        finish(recorder, .error, status: 502, target: "/b", later: 0)
        finish(recorder, .error, status: 502, target: "/c", later: 0)
        #expect(recorder.read().failed.map { String(decoding: $0.target, as: UTF8.self) } == ["/b"])
        #expect(recorder.read().recent.count == 2)
    }

    @Test func `long targets are cut, and stages are recorded`() {
        let recorder = recorder()
        var timings = StageTimings()
        timings.encode = 7
        finish(recorder, .miss, target: "/" + String(repeating: "a", count: 2_000), note: AnswerNote(timings, end: 0))
        finish(recorder, .miss)
        let recent = recorder.read().recent
        #expect(recent.map { $0.timings?.encode } == [nil, 7] && recent.last?.target.count == 512)
    }

    @Test func `with capacity 0 nothing is remembered`() {
        let recorder = recorder(0)
        recorder.watch(seconds: 10)
        finish(recorder, .miss)
        let reading = recorder.read()
        #expect(reading.recent.isEmpty && reading.slowest.isEmpty && reading.failed.isEmpty)
    }
}
