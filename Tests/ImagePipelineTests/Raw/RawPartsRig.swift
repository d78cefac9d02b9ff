import HTTPSemantics
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// An origin's response in tests of partial responses.
struct PartAnswer {
    var status = 206
    var fields: [String]
    var body: String

    /// A 206 with a range of the digits `0123456789`, repeated.
    static func part(
        _ range: Range<Int>,
        of length: Int = 10,
        _ fields: [String] = ["Cache-Control: max-age=60", "ETag: \"a\""]
    ) -> PartAnswer {
        PartAnswer(
            fields: fields + ["Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"],
            body: digits(range)
        )
    }

    static func whole(_ body: String, _ fields: [String] = ["Cache-Control: max-age=60", "ETag: \"b\""]) -> PartAnswer {
        PartAnswer(status: 200, fields: fields, body: body)
    }

    static func digits(_ range: Range<Int>) -> String { range.map { String($0 % 10) }.joined() }
}

extension RawRig {
    /// A request for a range that is forwarded as it is, because `no-cache` prevents the request for the whole.
    static func own(_ range: String, _ fields: [String] = []) -> CacheRequest<OriginRequest> {
        request("a", ["Range: bytes=\(range)", "Cache-Control: no-cache"] + fields)
    }

    static func range(_ range: String, _ fields: [String] = []) -> CacheRequest<OriginRequest> {
        request("a", ["Range: bytes=\(range)"] + fields)
    }

    /// Sends a request with the origin's responses to it, in order.
    ///
    /// - Returns: the answer, and the fields of the requests to the origin.
    func send(_ request: CacheRequest<OriginRequest>, _ answers: [PartAnswer]) throws -> (
        answer: RawAnswer, sent: [FieldLines]
    ) {
        let before = loader.all.count
        let result = Signal<Result<RawAnswer, PipelineError>?>(nil)
        _ = proxy.load(request) { answer in result.update { $0 = answer } }
        for (number, answer) in answers.enumerated() {
            let load = try #require(try loader.wait(for: before + number + 1).last)
            load.respond(
                FetchedResponse(
                    status: answer.status,
                    fields: Self.lines(answer.fields),
                    content: .bytes(Array(answer.body.utf8)),
                    requestTime: time.wallSeconds,
                    responseTime: time.wallSeconds
                )
            )
        }
        try result.wait { $0 != nil }
        let sent = loader.all.dropFirst(before).compactMap { $0.fetch.exchange?.fields }
        #expect(sent.count == answers.count)
        return (try #require(result.value).get(), Array(sent))
    }
}

extension RawAnswer {
    /// The part of the body that is sent.
    var sentText: String { String(decoding: part, as: UTF8.self) }
}
