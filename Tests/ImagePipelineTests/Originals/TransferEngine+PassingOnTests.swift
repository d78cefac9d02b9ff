import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// Bodies over the limit, of which only what the slowest reader has not read is kept.
@Suite(.timeLimit(.minutes(1)))
struct TransferPassingOnTests {
    @Test func `a transfer that is paused for one reader tells it from when on, and continues without it`() throws {
        let time = ManualTime()
        let body = [UInt8](repeating: 7, count: 4 << 20)
        let origin = try ScriptedOrigin { request, connection in connection.serve(body, to: request) }
        let engine = try TransferEngine(time: time)
        defer { engine.stop() }
        var fetch = OriginFetch.local(origin, "/a")
        fetch.exchange = OriginFetch.Exchange(method: "GET", fields: FieldLines(), body: [])
        fetch.source.limits.sourceBytes = 50_000
        let announced = Signal<[GrowingFile.Reader]>([])
        _ = engine.load(
            fetch,
            arrival: { response in
                guard case .growing(let file) = response.content else { return }
                announced.update { $0 = [file.reader(), file.reader()].compactMap(\.self) }
            },
            completion: { _ in }
        )
        var readers = try announced.wait { $0.count == 2 }
        announced.update { $0 = [] }
        let other = readers.removeLast()
        let file = other.source

        let start = try waitFor { () -> Int64? in
            let count = file.progress.count
            other.read(to: count)
            _ = other.progress(beyond: count) {}
            return readers[0].delaysOthersSince
        }
        #expect(start == time.monotonic && file.progress.count < body.count && file.progress.end == nil)

        // The reader that is left reads nothing again before there is more.
        var seen = file.progress.count
        readers = []
        try waitFor { () -> Bool? in
            let progress = file.progress
            if progress.count > seen {
                seen = progress.count
                other.read(to: seen)
            }
            return progress.end == nil ? nil : true
        }
        #expect(file.progress.end == .complete && file.progress.count == body.count)
    }
}
