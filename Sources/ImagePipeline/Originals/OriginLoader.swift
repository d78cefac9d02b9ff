package import OriginTransfer

/// Loads originals from where their source keeps them, by the file loader or the transfer engine.
///
/// The one place where the terms of `OriginTransfer` become those of the pipeline.
package struct OriginLoader: OriginLoading {
    private let files: any TransferLoading
    private let transfers: any TransferLoading

    /// Creates a loader over two others.
    package init(files: any TransferLoading, transfers: any TransferLoading) {
        self.files = files
        self.transfers = transfers
    }

    /// Starts a load; the completion is called on the thread of the loader that is chosen.
    package func load(
        _ fetch: OriginFetch,
        completion: @escaping @Sendable (Result<OriginResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        let loader = fetch.source.isFolder ? files : transfers
        return loader.load(TransferRequest(fetch)) { result in
            switch result {
            case .success(let response):
                completion(Result { () throws(PipelineError) in try OriginResponse(response, to: fetch) })
            case .failure(let error): completion(.failure(PipelineError(error)))
            }
        }
    }
}

extension TransferRequest {
    /// What a transfer is told of a fetch.
    init(_ fetch: OriginFetch) {
        self.init(
            fetch.target,
            options: fetch.source.transferOptions,
            entityTag: fetch.entityTag,
            lastModified: fetch.lastModified
        )
        chain = Chain(traceparent: fetch.caller.traceparent, via: fetch.caller.via, cdnLoop: fetch.caller.cdnLoop)
        exchange = fetch.exchange
    }
}

extension SourceRule {
    /// How transfers ask the source's origin.
    var transferOptions: TransferOptions {
        var options = TransferOptions(source: name)
        options.allowPrivate = allowPrivate
        options.headers = headers
        options.credentials = credentials
        options.connections = connections
        options.limits = TransferLimits(bytes: limits.sourceBytes, redirects: limits.redirects)
        options.timeouts = TransferTimeouts(
            connect: timeouts.connect,
            firstByte: timeouts.firstByte,
            total: timeouts.total
        )
        switch location {
        case .http: break
        case .file(let root): options.root = root
        case .bucket(let bucket): options.signingRegion = bucket.region
        case .remote: options.isForeign = true
        }
        return options
    }
}

extension OriginResponse {
    /// Seconds for which a file is used before it is looked at again.
    private static let fileLifetime: Int64 = 10

    /// A transfer's response in the cache's terms.
    init(_ response: TransferResponse, to fetch: OriginFetch) throws(PipelineError) {
        if fetch.exchange != nil {
            self = .exchanged(RawExchange(response))
            return
        }
        var fields = ChainFreshness.combine(
            hops: response.redirects.map { OriginFields($0) },
            last: OriginFields(response.head)
        )
        if fetch.source.isFolder { fields.vouchedLifetime = Self.fileLifetime }
        let isConditional = fetch.entityTag != nil || fetch.lastModified != nil
        switch (response.head.status, response.body) {
        case (200, .file(let body)): self = .fetched(fields, try OriginBody(body))
        case (304, _) where isConditional: self = .notModified(fields)
        default: self = .refused(status: response.head.status, fields)
        }
    }
}

extension RawExchange {
    /// The response to a raw request.
    init(_ response: TransferResponse) {
        var content: [UInt8] = []
        if case .bytes(let bytes) = response.body { content = bytes }
        self.init(
            status: response.head.status,
            fields: response.head.fields,
            body: content,
            requestTime: response.head.requestTime,
            responseTime: response.head.responseTime
        )
    }
}

extension OriginBody {
    /// A transfer's body.
    init(_ body: TransferBody) throws(PipelineError) {
        guard let digest = CacheKey(bytes: body.digest.bytes) else { throw .overloaded("no digest") }
        self.init(file: body.file, length: body.length, digest: digest)
    }
}

extension PipelineError {
    /// A transfer's failure.
    init(_ error: TransferError) {
        self =
            switch error {
            case .notFound: .originNotFound
            case .unreachable(let reason): .originUnreachable(reason)
            case .timeout(let phase): .originTimeout(phase)
            case .violation(let reason): .originProtocol(reason)
            case .addressRefused(let rule): .addressRefused(rule)
            case .unresolved: .addressRefused(PipelineError.unresolvedRule)
            case .tooLarge(let limit): .sourceTooLarge(limit: limit)
            case .overloaded(let reason): .overloaded(reason)
            case .cancelled: .cancelled
            }
    }
}
