import HTTPSemantics
import ImagePipeline
import OriginTransfer

/// The address policy's verdict on a URL, as one line of JSON.
struct URLVerdict: Sendable, Hashable {
    /// The URL as given, truncated to the maximum length.
    var url: String
    var verdict: AddressPolicy.Verdict

    /// The maximum bytes of a URL in the output.
    private static let longestShown = 1024

    /// Checks a URL.
    ///
    /// It is parsed like that of `/fetch?url=`. No name is resolved, and no connection is made.
    ///
    /// - Parameters:
    ///   - isCut: whether the URL was truncated.
    ///   - allowPrivate: whether the source allows private addresses.
    ///   - prefix: the source's URL prefix; `nil` for `/fetch?url=`.
    init(_ bytes: [UInt8], isCut: Bool = false, allowPrivate: Bool, below prefix: OriginURL? = nil) {
        url = String(decoding: bytes.prefix(URLVerdict.longestShown), as: UTF8.self)
        // RFC 3986 §2.5: bytes that are not UTF-8 have no agreed meaning.
        let text = isCut ? nil : String(validating: bytes, as: UTF8.self)
        guard bytes.count <= OriginURL.maximumLength, !isCut else {
            verdict = .init(.block, AddressPolicy.Verdict.lengthRule)
            return
        }
        guard let text else {
            verdict = AddressPolicy.Verdict(.character)
            return
        }
        do throws(OriginURL.Defect) {
            verdict = AddressPolicy.verdict(on: try OriginURL(text), allowPrivate: allowPrivate, below: prefix)
        } catch {
            verdict = AddressPolicy.Verdict(error)
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
