import HTTPKit
import ImagePlan

/// A request as the public listener would read it off a connection: the same parser, the same limits, the same refusals.
struct ExplainedTarget: Sendable, Hashable {
    /// Path and query, raw.
    var bytes: [UInt8]
    /// What the `Accept` field selects.
    var bucket: FormatBucket
    /// Whether the listener answers by itself, without a picture (contract: `/`, `/robots.txt`, `/favicon.ico`).
    var isFixed: Bool

    /// Reads a target in origin-form or absolute-form.
    ///
    /// - Throws: what the listener would answer to a GET of it.
    init(_ target: String, accept: String?) throws(Problem) {
        // A line end would begin a header field of its own, and a blank end the target: both are parts of the text here.
        guard target.utf8.allSatisfy({ $0 > 0x20 }) else { throw Problem(.malformed(.invalidTarget)) }
        guard accept?.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) ?? true else {
            throw Problem(.malformed(.invalidFieldValue))
        }
        let field = accept.map { "Accept: \($0)\r\n" } ?? ""
        let request = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n".utf8)
        var head = RequestHead()
        do throws(ParseError) {
            var progress = ParseProgress()
            guard case .complete = try RequestParser().parse(request.span, &progress, into: &head) else {
                throw ParseError.invalidTarget
            }
        } catch {
            throw Problem(.malformed(error))
        }
        bytes = Array(request[head.pathAndQuery])
        var best = FormatBucket.rest
        head.forEach(.accept) { best = max(best, FormatBucket(accept: request.span.extracting($0))) }
        bucket = best
        isFixed = FixedAnswers.response(to: head.pathAndQuery, in: request.span) != nil
    }

    /// The path's bytes.
    var path: [UInt8] { Array(bytes.prefix { $0 != UInt8(ascii: "?") }) }
    /// The query's bytes, without the question mark.
    var query: [UInt8] { Array(bytes.drop { $0 != UInt8(ascii: "?") }.dropFirst()) }
}
