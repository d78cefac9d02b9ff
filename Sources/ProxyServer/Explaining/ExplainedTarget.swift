import HTTPKit
import HTTPSemantics
import ImagePlan

/// A request target parsed as on the public listener, with the same parser and limits.
struct ExplainedTarget: Sendable, Hashable {
    /// The raw path and query.
    var bytes: [UInt8]
    /// The bucket that the `Accept` field selects.
    var bucket: FormatBucket
    /// Whether the response is constant (`/`, `/robots.txt`, `/favicon.ico`).
    var isFixed: Bool

    /// The conditions of rules on request fields that the request fulfils.
    var traits: RequestTraits

    /// Parses a target in origin-form or absolute-form.
    ///
    /// - Parameters:
    ///   - fields: other fields of the request; without `Host`, it is `localhost`.
    ///   - matchers: the conditions of rules on request fields.
    /// - Throws: the error that the listener would respond with.
    init(
        _ target: String,
        accept: String?,
        fields: FieldLines = FieldLines(),
        matchers: RequestMatchers? = nil
    ) throws(Problem) {
        // A line end or a space would end the target in the synthesized request below.
        guard target.utf8.allSatisfy({ $0 > 0x20 }) else { throw Problem(.malformed(.invalidTarget)) }
        guard accept?.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) ?? true else {
            throw Problem(.malformed(.invalidFieldValue))
        }
        let field = accept.map { "Accept: \($0)\r\n" } ?? ""
        let others = fields.lines.map { "\($0.name): \($0.text)\r\n" }.joined()
        let host = fields.contains("host") ? "" : "Host: localhost\r\n"
        let request = Array("GET \(target) HTTP/1.1\r\n\(host)\(field)\(others)\r\n".utf8)
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
        traits = matchers?.traits(head, request.span) ?? []
        var best = FormatBucket.rest
        head.forEach(.accept) { best = best.union(FormatBucket(accept: request.span.extracting($0))) }
        bucket = best
        isFixed = FixedAnswers.response(to: head.pathAndQuery, in: request.span) != nil
    }

    /// The path's bytes.
    var path: [UInt8] { Array(bytes.prefix { $0 != UInt8(ascii: "?") }) }
    /// The query's bytes, without the question mark.
    var query: [UInt8] { Array(bytes.drop { $0 != UInt8(ascii: "?") }.dropFirst()) }
}
