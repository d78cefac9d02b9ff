internal import ImagePlan

/// A URL with a scoped signature, to which an app adds the parameters that the scope permits.
///
/// A backend that has the key makes it with `ImageServer.scopedURL(for:scope:expires:)`; the app that receives it needs no key.
public struct ScopedImageURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL without further parameters.
    public let description: String
    /// Its query.
    private let query: String

    /// Creates a URL that has been received.
    ///
    /// - Throws: `ImageURLError`, naming `scope`, if the URL has no valid scope.
    public init(_ text: String) throws(ImageURLError) {
        description = text
        query = String(decoding: text.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst(), as: UTF8.self)
        _ = try scope()
    }

    /// The URL with parameters.
    ///
    /// - Throws: `ImageURLError` for a parameter that is invalid, that the scope does not permit, or that it requires.
    public func url(_ transform: ImageTransform) throws(ImageURLError) -> String {
        try transform.validate()
        let added = transform.isEmpty ? "" : "&" + transform.query
        let scope = try scope()
        let refusal: RequestError?
        do throws(RequestError) {
            refusal = scope.refusal(of: try QueryPair.split(Array((query + added).utf8)))
        } catch {
            throw ImageURLError(error)
        }
        if let refusal { throw ImageURLError(refusal) }
        return description + added
    }

    private func scope() throws(ImageURLError) -> SignatureScope {
        let pair: QueryPair?
        do throws(RequestError) {
            pair = try QueryPair.split(Array(query.utf8)).first { $0.name == SignatureScope.name }
        } catch {
            throw ImageURLError(error)
        }
        guard let text = pair?.value else { throw ImageURLError(parameter: SignatureScope.name, reason: "is missing") }
        return try URLScope(text).parsed()
    }
}
