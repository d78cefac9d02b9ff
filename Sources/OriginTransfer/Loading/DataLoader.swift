import HTTPSemantics
package import LinuxSystem

/// Loads the content of `data:` URLs, which is within the request.
///
/// The completion is called on the caller's thread, before `load` returns. Responses have a strong entity tag and a freshness
/// lifetime of a year, since another content is another URL.
package struct DataLoader: TransferLoading {
    private static let cacheControl = "public, max-age=31536000, immutable"

    private let time: any TimeSource

    /// Creates a loader.
    package init(time: any TimeSource = SystemTime()) { self.time = time }

    package func canLoad(_ target: OriginTarget) -> Bool {
        if case .data = target { true } else { false }
    }

    package func load(
        _ request: TransferRequest,
        arrival: (@Sendable (TransferResponse) -> Void)?,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle {
        guard case .data(let data) = request.target else {
            completion(.failure(.notFound))
            return EndedLoad()
        }
        do throws(TransferError) {
            completion(.success(try response(to: request, data)))
        } catch {
            completion(.failure(error))
        }
        return EndedLoad(received: data.bytes.count)
    }

    private func response(to request: TransferRequest, _ data: DataURL) throws(TransferError) -> TransferResponse {
        let limit = request.options.limits.bytes
        guard data.bytes.count <= limit else { throw .tooLarge(limit: limit) }
        let entityTag = "\"\(SHA256Digest(hashing: data.bytes).text)\""
        let isKnown = request.entityTag == entityTag
        let now = time.wallSeconds
        var fields = FieldLines()
        fields.append("ETag", entityTag)
        fields.append("Cache-Control", Self.cacheControl)
        if !isKnown { fields.append("Content-Type", data.mediaType) }
        let head = TransferHead(status: isKnown ? 304 : 200, fields: fields, requestTime: now, responseTime: now)
        guard !isKnown else { return TransferResponse(head: head, body: .none) }
        let sink = try BodySink(limit: limit)
        try unsafe data.bytes.withUnsafeBufferPointer { bytes throws(TransferError) in
            try unsafe sink.append(UnsafeRawBufferPointer(bytes))
        }
        return TransferResponse(head: head, body: .file(try sink.finish()))
    }
}
