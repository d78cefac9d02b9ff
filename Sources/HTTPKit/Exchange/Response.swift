package import LinuxSystem

/// An answer: a status, blocks of encoded fields, and content that is never copied.
///
/// The server writes the status line, `Date`, `Content-Length` and `Connection`; everything else stands in the blocks.
package struct Response: Sendable {
    /// The status code, 200 to 599.
    package var status: UInt16
    /// Encoded fields (`FieldBlock.bytes`), shared by all responses of one cached entity.
    package var fields: [UInt8]
    /// A second block of encoded fields, for what differs from response to response, as `Cache-Status`.
    package var dynamicFields: [UInt8]
    /// The line of `Date`, encoded, where it is not now: a stored answer keeps the date that it was made at.
    package var date: [UInt8]?
    /// Seconds for an `Age` field (RFC 9111 §5.1); `nil` leaves it out.
    package var age: Int64?
    /// The content; not sent for HEAD, 204 and 304.
    package var body: ResponseBody
    /// The `Content-Length` where it is not the body's: answers to HEAD whose body is not at hand, and 304; below 0 it is left
    /// out, which only answers to HEAD allow.
    package var contentLength: Int64?
    /// Whether the connection is closed after this answer.
    package var closesConnection: Bool
    /// Comes back in `ExchangeSummary.tag`: what the handler wants to know when the exchange has ended.
    package var tag: UInt64

    /// Creates an answer.
    package init(
        status: UInt16,
        fields: [UInt8] = [],
        dynamicFields: [UInt8] = [],
        age: Int64? = nil,
        body: ResponseBody = .none,
        contentLength: Int64? = nil,
        closesConnection: Bool = false,
        tag: UInt64 = 0
    ) {
        self.status = status
        self.fields = fields
        self.dynamicFields = dynamicFields
        self.age = age
        self.body = body
        self.contentLength = contentLength
        self.closesConnection = closesConnection
        self.tag = tag
    }
}

/// An answer's content.
package enum ResponseBody: Sendable {
    /// No content: `Content-Length: 0`.
    case none
    /// A range of immutable bytes, sent from where they lie.
    case bytes([UInt8], Range<Int>)
    /// A range of a file, sent with sendfile(2); a file that proves shorter costs the connection.
    case file(SharedDescriptor, offset: Int64, length: Int64)

    /// All of an array.
    package static func bytes(_ bytes: [UInt8]) -> ResponseBody { .bytes(bytes, 0..<bytes.count) }

    /// The content's length in bytes.
    package var count: Int64 {
        switch self {
        case .none: 0
        case .bytes(_, let range): Int64(range.count)
        case .file(_, _, let length): length
        }
    }
}
