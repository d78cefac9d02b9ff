import HTTPKit
import HTTPSemantics
import ImagePipeline

extension RequestResult {
    /// A flag for responses that the server sent before any handler saw the request.
    static let unhandled: UInt64 = 0x100

    /// The result as encoded in `Response.tag`; 0 means that there was no response.
    var tag: UInt64 { UInt64(rawValue) + 1 }

    /// Decodes the result from a tag.
    init(tag: UInt64) {
        let low = UInt8(truncatingIfNeeded: tag)
        self = low == 0 ? .other : RequestResult(rawValue: low - 1) ?? .other
    }

    /// The result for the status of an error.
    init(status: UInt16) { self = status < 500 ? .refused : .error }
}
