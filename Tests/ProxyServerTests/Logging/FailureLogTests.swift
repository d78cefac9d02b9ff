import HTTPSemantics
import ImagePipeline
import Logging
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct FailureLogTests {
    /// The lines of ten failures of one kind.
    private func lines(of error: PipelineError, level: LogLevel) throws -> [JSONValue] {
        let pair = try DescriptorPair(.pipe)
        let time = ManualTime()
        let logger = Logger.events(
            .json,
            level: LogLevelCell(level),
            sink: LineSink(descriptor: pair.writing),
            budget: LineBudget(rate: 0),
            time: time
        )
        let log = FailureLog(logger: logger, time: time)
        for _ in 0..<10 { log.tell(of: error, Problem(error), source: "photos", id: "1") }
        return try pair.readText().split(separator: "\n").map { line in
            try #require(JSONValue(parsing: String(line)), "\(line)")
        }
    }

    private func messages(of error: PipelineError, level: LogLevel) throws -> [JSONValue?] {
        try lines(of: error, level: level).map { $0["message"] }
    }

    @Test(arguments: [PipelineError.overloaded("busy"), .auxiliary("mask", .overloaded("busy"))])
    func `any number of refusals has one line, with the source and the first one's reason`(
        _ error: PipelineError
    ) throws {
        let lines = try lines(of: error, level: .info)
        #expect(lines.map { $0["message"] } == [.string("overloaded: requests are refused")])
        #expect(lines.first?["context.source"] == .string("photos"))
        #expect(lines.first?["context.detail"] == .string(Problem(error).detail))
    }

    @Test func `each refusal has a line at level debug`() throws {
        let messages = try messages(of: .overloaded("busy"), level: .debug)
        #expect(messages.count { $0 == .string("request failed") } == 10)
        #expect(messages.count == 11)
    }

    @Test func `each failure of an origin has a line`() throws {
        let messages = try messages(of: .originUnreachable("refused"), level: .info)
        #expect(messages == [JSONValue?](repeating: .string("request failed"), count: 10))
    }
}
