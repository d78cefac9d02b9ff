package import ImagePlan

/// A request of another server in Edgeprint's own language.
package struct Translation: Hashable, Sendable {
    /// The image that a request names.
    package enum Image: Hashable, Sendable {
        /// A path below the source, raw, without a slash at its start, and the raw query that belongs to it.
        case path(String, query: String = "")
        /// An absolute URL, decoded.
        case url(String)
        /// A URL that the other server has encrypted: the bytes, with their initialisation vector.
        case encrypted([UInt8])
    }

    /// The signature that a request states.
    ///
    /// The server, which has the keys, verifies it.
    package enum Signature: Hashable, Sendable {
        /// The request says that it is not signed (`unsafe`, `insecure`), or its language has no signatures.
        case none
        /// The decoded code, perhaps shortened, and the bytes that it authenticates, without a salt.
        case stated(code: [UInt8], message: [UInt8])
    }

    package let image: Image
    /// Names and values of Edgeprint's language, in order; the same picture has the same text in all dialects.
    package var parameters: [Parameter]
    package let signature: Signature

    /// Creates a translation.
    package init(image: Image, parameters: [Parameter], signature: Signature) {
        self.image = image
        self.parameters = parameters
        self.signature = signature
    }

    /// Whether the request is for the image as it is: whatever its parameters say is about the request and the answer.
    package var isOriginal: Bool { parameters.allSatisfy { ["exp", "filename", "download"].contains($0.name) } }

    /// The query in Edgeprint's language, without the `?`.
    package var query: String {
        parameters.map { "\($0.name)=\(PercentCoding.encodedValue($0.value))" }.joined(separator: "&")
    }
}
