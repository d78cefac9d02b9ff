package import LinuxSystem

/// A response: a status, blocks of encoded fields, and content that is never copied.
///
/// The server adds the status line, `Date`, `Content-Length` and `Connection`; the blocks contain everything else.
package struct Response: Sendable {
    /// The status code, 200 to 599.
    package var status: UInt16
    /// Encoded fields (`FieldBlock.bytes`), shared by all responses from one cached entity.
    package var fields: [UInt8]
    /// Encoded fields that differ between responses, such as `Cache-Status`.
    package var dynamicFields: [UInt8]
    /// The encoded `Date` line; `nil` for the current time.
    ///
    /// A stored response keeps its original date.
    package var date: [UInt8]?
    /// The value of the `Age` field in seconds (RFC 9111 §5.1); `nil` omits it.
    package var age: Int64?
    /// The content; not sent for HEAD, 204 and 304.
    package var body: ResponseBody
    /// The `Content-Length` if it differs from the body's.
    ///
    /// For HEAD without a body at hand, and for 304. A negative value omits the field, which is valid only for HEAD.
    package var contentLength: Int64?
    /// Whether to close the connection after this response.
    package var closesConnection: Bool
    /// A value for the handler's own use, passed back in `ExchangeSummary.tag`.
    package var tag: UInt64
    /// A second value for the handler's own use, passed back in `ExchangeSummary.amount`.
    package var amount: Int64 = 0
    /// An object for the handler's own use, passed back in `ExchangeSummary.note`; `nil` for none, as for hits.
    package var note: (any ExchangeNote)?

    /// Creates a response.
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

/// The content of a response.
package enum ResponseBody: Sendable {
    /// No content: `Content-Length: 0`.
    case none
    /// A range of immutable bytes, sent without copying.
    case bytes([UInt8], Range<Int>)
    /// A range of a file, sent with sendfile(2); if the file turns out shorter, the connection is closed.
    case file(SharedDescriptor, offset: Int64, length: Int64)
    /// A range of a file that may still be growing, sent as it grows; the connection is closed if the file fails.
    ///
    /// Without a length, the content is everything from the offset to the file's end, sent in chunks (RFC 9112 §7.1), or to an
    /// HTTP/1.0 client until the connection closes.
    case growing(GrowingFile.Reader, offset: Int64, length: Int64?)

    /// All of an array.
    package static func bytes(_ bytes: [UInt8]) -> ResponseBody { .bytes(bytes, 0..<bytes.count) }

    /// The content's length in bytes; `nil` if it is unknown.
    package var count: Int64? {
        switch self {
        case .none: 0
        case .bytes(_, let range): Int64(range.count)
        case .file(_, _, let length): length
        case .growing(_, _, let length): length
        }
    }
}
