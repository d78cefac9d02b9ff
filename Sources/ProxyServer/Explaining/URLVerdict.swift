import ImagePipeline
import ImagePlan

/// What the address policy says of a URL that a request could name, as one line of JSON.
struct URLVerdict: Sendable, Hashable {
    /// The URL as given; cut where it is longer than any URL may be.
    var url: String
    var verdict: UpstreamURL.Verdict

    /// The most bytes of a URL that are repeated.
    private static let longestShown = 1024

    /// Judges bytes.
    ///
    /// The URL goes the way of `/fetch?url=`: read by the request language, put together again, and read by the transfer.
    /// Nothing is resolved, nothing is connected to.
    ///
    /// - Parameters:
    ///   - isCut: whether more bytes followed.
    ///   - allowPrivate: whether the source may ask its own network.
    ///   - prefix: where the source's originals are; `nil` for `/fetch?url=`.
    init(_ bytes: [UInt8], isCut: Bool = false, allowPrivate: Bool, below prefix: String? = nil) {
        url = String(decoding: bytes.prefix(URLVerdict.longestShown), as: UTF8.self)
        // RFC 3986 §2.5: what is no UTF-8 has no meaning that two programs would agree on.
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

    /// What is wrong with a text that the request language refuses.
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
