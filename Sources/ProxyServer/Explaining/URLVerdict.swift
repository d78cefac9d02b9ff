import ImagePipeline
import ImagePlan

/// The address policy's verdict on a URL, as one line of JSON.
struct URLVerdict: Sendable, Hashable {
    /// The URL as given, truncated to the maximum length.
    var url: String
    var verdict: UpstreamURL.Verdict

    /// The maximum bytes of a URL in the output.
    private static let longestShown = 1024

    /// Checks a URL.
    ///
    /// It is processed like that of `/fetch?url=`: parsed by the request language, normalized, and parsed by the transfer. No name
    /// is resolved, and no connection is made.
    ///
    /// - Parameters:
    ///   - isCut: whether the URL was truncated.
    ///   - allowPrivate: whether the source allows private addresses.
    ///   - prefix: the source's URL prefix; `nil` for `/fetch?url=`.
    init(_ bytes: [UInt8], isCut: Bool = false, allowPrivate: Bool, below prefix: String? = nil) {
        url = String(decoding: bytes.prefix(URLVerdict.longestShown), as: UTF8.self)
        // RFC 3986 §2.5: bytes that are not UTF-8 have no agreed meaning.
        let text = isCut ? nil : String(validating: bytes, as: UTF8.self)
        guard bytes.count <= UpstreamURL.maximumLength, !isCut else {
            verdict = .init(.block, UpstreamURL.Verdict.lengthRule)
            return
        }
        guard let text else {
            verdict = UpstreamURL.Verdict(.syntax)
            return
        }
        do throws(RequestError) {
            let url = try OriginURL(text).text
            verdict = UpstreamURL.verdict(url: url, allowPrivate: allowPrivate, below: prefix)
        } catch {
            verdict = UpstreamURL.Verdict(Self.defect(of: text))
        }
    }

    /// The defect of a URL that the request language refuses.
    private static func defect(of text: String) -> UpstreamURL.Defect {
        do throws(UpstreamURL.Defect) {
            _ = try UpstreamURL(text)
            return .syntax
        } catch {
            return error
        }
    }

    /// `{"url":…,"verdict":"allow"|"block","rule":…}`.
    var json: String {
        JSONValue.object([
            .init("url", .string(url)), .init("verdict", .string(verdict.decision.rawValue)),
            .init("rule", .string(verdict.rule)),
        ]).text
    }
}
