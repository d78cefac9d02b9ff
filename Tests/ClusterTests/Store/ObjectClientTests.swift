import LinuxSystem
import TestSupport
import Testing

@testable import OriginTransfer

/// The deadlines of requests to the shared store.
@Suite(.timeLimit(.minutes(1)))
struct ObjectClientTests {
    @Test func `an answer that arrives while the thread is busy with another one is in time`() throws {
        let (hasArrived, mayAnswer, hasAnswered) = (Signal(false), try ScriptedGate(), Signal(false))
        let origin = try ScriptedOrigin { request, connection in
            let isLate = request.target.hasSuffix("late")
            if isLate {
                hasArrived.update { $0 = true }
                mayAnswer.wait()
            }
            connection.respond("200 OK", [], body: [1, 2])
            if isLate { hasAnswered.update { $0 = true } }
        }
        let time = ManualTime()
        let client = try ObjectClient(
            ObjectBucket(name: "pics", prefix: "", endpoint: origin.url),
            credentials: nil,
            maximum: 4,
            name: "objects",
            time: time
        )
        defer { client.close() }
        let patience = ObjectRequest.Patience(firstByte: 20_000, rest: 20_000)
        let late = Signal<Result<ObjectResponse, ObjectFailure>?>(nil)
        client.send(ObjectRequest(.get, "late", limit: 100, patience: patience)) { result in
            late.update { $0 = result }
        }
        try hasArrived.wait { $0 }
        let prompt = Signal<Bool?>(nil)
        client.send(ObjectRequest(.get, "prompt", limit: 100, patience: patience)) { result in
            mayAnswer.open()
            let isAnswered = (try? hasAnswered.wait { $0 }) != nil
            time.advance(seconds: 60)
            prompt.update { $0 = isAnswered && (try? result.get().bytes) == [1, 2] }
        }
        #expect(try prompt.wait { $0 != nil } == true)
        #expect(try late.wait { $0 != nil }?.get().bytes == [1, 2])
    }

    @Test(
        arguments: [
            (0, 20_000), (1, 20_000), (1 << 20, 20_250), (1 << 40, 86_420_000), (.max, 86_420_000),
        ] as [(Int, Int64)]
    )
    func `a content has time for its length at the lowest rate, but a day at most`(length: Int, milliseconds: Int64) {
        let patience = ObjectRequest.Patience(firstByte: 1, rest: 20_000, rate: 4 << 20)
        #expect(patience.nanoseconds(for: length) == milliseconds * 1_000_000)
    }

    @Test(arguments: [1 << 62, Int.max])
    func `a content of unknown length has time, however long it may be`(limit: Int) throws {
        let origin = try ScriptedOrigin { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        }
        let client = try ObjectClient(
            ObjectBucket(name: "pics", prefix: "", endpoint: origin.url),
            credentials: nil,
            maximum: 1,
            name: "objects"
        )
        defer { client.close() }
        let patience = ObjectRequest.Patience(firstByte: 20_000, rest: 20_000)
        let response = try client.perform(ObjectRequest(.getFile, "x", limit: limit, patience: patience)).get()
        #expect(response.body?.length == 3)
    }
}
