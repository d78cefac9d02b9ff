package import HTTPSemantics
package import LinuxSystem

/// What an origin answered.
package struct TransferResponse: Sendable {
    /// The final response's head.
    package var head: TransferHead
    /// The heads of the redirects that led to it, in order.
    package var redirects: [TransferHead]
    package var body: Content

    /// A response's content.
    package enum Content: Sendable {
        /// None was asked for or kept: a plain GET keeps the content of a 200 only.
        case none
        /// The complete content of a 200.
        case file(TransferBody)
        /// The complete content of an exchange's response, whatever its status.
        case bytes([UInt8])
    }

    /// Creates a response.
    package init(head: TransferHead, redirects: [TransferHead] = [], body: Content) {
        self.head = head
        self.redirects = redirects
        self.body = body
    }
}

/// A response's status and fields, and the times around it.
package struct TransferHead: Hashable, Sendable {
    package var status: Int
    /// All field lines, as they came.
    package var fields: FieldLines
    /// Wall-clock seconds when the request was sent (RFC 9111 §4.2.3).
    package var requestTime: Int64
    /// Wall-clock seconds when the head had come (RFC 9111 §4.2.3).
    package var responseTime: Int64

    /// Creates a head.
    package init(status: Int, fields: FieldLines, requestTime: Int64, responseTime: Int64) {
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// A complete body in a read-only descriptor: a sealed memory file, or a file of the source.
package struct TransferBody: Sendable {
    package var file: SharedDescriptor
    /// Bytes from the file's start.
    package var length: Int
    package var digest: SHA256Digest
}
