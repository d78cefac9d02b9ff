package import HTTPSemantics

/// What an origin answered to a raw request: whole, whatever its status.
package struct RawExchange: Sendable {
    package var status: Int
    /// All fields of the final answer, as they came.
    package var fields: FieldLines
    package var body: [UInt8]
    /// Wall-clock seconds when the request was sent and the answer's head came.
    package var requestTime: Int64
    package var responseTime: Int64

    /// Describes an answer.
    package init(status: Int, fields: FieldLines, body: [UInt8], requestTime: Int64, responseTime: Int64) {
        self.status = status
        self.fields = fields
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}
