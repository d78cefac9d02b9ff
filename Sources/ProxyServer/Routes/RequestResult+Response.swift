import HTTPKit
import HTTPSemantics
import ImagePipeline

extension RequestResult {
    /// Marks answers that the server gave before any handler saw the request.
    static let unhandled: UInt64 = 0x100

    /// The result as a response carries it through the server (`Response.tag`); 0 is an answer that never was.
    var tag: UInt64 { UInt64(rawValue) + 1 }

    /// The result that a tag carries.
    init(tag: UInt64) {
        let low = UInt8(truncatingIfNeeded: tag)
        self = low == 0 ? .other : RequestResult(rawValue: low - 1) ?? .other
    }

    /// The result of an error's status.
    init(status: UInt16) { self = status < 500 ? .refused : .error }
}
