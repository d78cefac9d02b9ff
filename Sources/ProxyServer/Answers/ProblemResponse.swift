import HTTPKit
import HTTPSemantics

extension Response {
    /// Creates an `application/problem+json` response, which is `no-store` unless it is a cached failure.
    ///
    /// - Parameters:
    ///   - vary: the request fields that it may depend on.
    ///   - id: the request id, which the logs contain.
    init(_ problem: Problem, vary: VaryFields = [], closes: Bool = false, id: String? = nil) {
        self.init(status: problem.status)
        var block = FieldBlock()
        block.append("Content-Type", "application/problem+json")
        block.append("Cache-Control", problem.lifetime.map { "public, max-age=\($0)" } ?? "no-store")
        if !vary.isEmpty { block.append("Vary", vary.text) }
        if let retryAfter = problem.retryAfter { block.append("Retry-After", String(retryAfter)) }
        if let allow = problem.allow { block.append("Allow", allow) }
        fields = block.bytes + CommonFields.bytes
        let status = problem.lifetime != nil ? .hit(.negative) : problem.cacheStatus
        if let status { dynamicFields = CacheStatusFields.field(status) }
        let json = Array(problem.json(id: id).utf8)
        body = .bytes(json, 0..<json.count)
        closesConnection = closes
        tag = problem.lifetime == nil ? RequestResult(status: problem.status).tag : RequestResult.negative.tag
    }

    /// The response with further encoded fields.
    func with(_ fields: [UInt8]) -> Response {
        var response = self
        response.dynamicFields += fields
        return response
    }

    /// The response with CORS fields.
    func readable(by pages: CrossOrigin) -> Response { with(pages.fields) }

    /// Creates a plain text response.
    init(text: String, status: UInt16 = 200) {
        self.init(status: status)
        var block = FieldBlock()
        block.append("Content-Type", "text/plain; charset=utf-8")
        block.append("Cache-Control", "public, max-age=3600")
        fields = block.bytes + CommonFields.bytes
        let bytes = Array(text.utf8)
        body = .bytes(bytes, 0..<bytes.count)
        tag = RequestResult.other.tag
    }
}
