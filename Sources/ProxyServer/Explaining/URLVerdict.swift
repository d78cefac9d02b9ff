import HTTPSemantics
import ImagePipeline
import OriginTransfer

/// What the address policy says of a URL that a request could name, as one line of JSON.
struct URLVerdict: Sendable, Hashable {
    /// The URL as given; cut where it is longer than any URL may be.
    var url: String
    var verdict: AddressPolicy.Verdict

    /// The most bytes of a URL that are repeated.
    private static let longestShown = 1024

    /// Judges bytes.
    ///
    /// The URL is parsed as that of `/fetch?url=` is. Nothing is resolved or connected to.
    ///
    /// - Parameters:
    ///   - isCut: whether more bytes followed.
    ///   - allowPrivate: whether the source may ask its own network.
    ///   - prefix: where the source's originals are; `nil` for `/fetch?url=`.
    init(_ bytes: [UInt8], isCut: Bool = false, allowPrivate: Bool, below prefix: OriginURL? = nil) {
        url = String(decoding: bytes.prefix(URLVerdict.longestShown), as: UTF8.self)
        // RFC 3986 §2.5: what is no UTF-8 has no meaning that two programs would agree on.
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
