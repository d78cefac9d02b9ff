/// An interim response of an origin (RFC 9110 §15.2), such as 103 (Early Hints).
package struct InterimResponse: Hashable, Sendable {
    /// The status, from 100 to 199.
    package var status: Int
    package var fields: FieldLines

    /// Creates an interim response.
    package init(status: Int, fields: FieldLines) {
        self.status = status
        self.fields = fields
    }

    /// Whether a proxy forwards the response to its client (RFC 9110 §15.2).
    ///
    /// 100 and 101 answer fields of the proxy's own request, which concern its connection to the origin.
    package var isForwarded: Bool { status > 101 }
}
