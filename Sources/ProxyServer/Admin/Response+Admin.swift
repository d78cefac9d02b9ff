import HTTPKit

extension Response {
    /// A response of the admin listener with `Cache-Control: no-store`.
    static func admin(_ text: String, type: String = "text/plain; charset=utf-8", status: UInt16 = 200) -> Response {
        var response = Response(status: status)
        var block = FieldBlock()
        block.append("Content-Type", type)
        block.append("Cache-Control", "no-store")
        response.fields = block.bytes
        let bytes = Array(text.utf8)
        response.body = .bytes(bytes, 0..<bytes.count)
        return response
    }

    /// A JSON response of the admin listener.
    static func admin(_ value: JSONValue, status: UInt16 = 200) -> Response {
        admin(value.text + "\n", type: "application/json", status: status)
    }
}
