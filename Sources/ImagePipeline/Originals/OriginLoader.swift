package import HTTPCache
import ImagePlan
package import OriginTransfer

/// Loads originals with the file loader or the transfer engine, depending on the source.
///
/// Converts between the types of `OriginTransfer` and those of the pipeline.
package struct OriginLoader: OriginLoading {
    private let files: any TransferLoading
    private let transfers: any TransferLoading
    private let suspended: SuspendedSources
    private let examinesImages: Bool

    /// Creates a loader from a file loader and a transfer engine.
    ///
    /// - Parameters:
    ///   - suspended: the sources whose loads fail at once.
    ///   - examinesImages: whether a download of an image source ends as soon as it turns out to be no image.
    package init(
        files: any TransferLoading,
        transfers: any TransferLoading,
        suspended: SuspendedSources = SuspendedSources(),
        examinesImages: Bool = true
    ) {
        self.examinesImages = examinesImages
        self.files = files
        self.transfers = transfers
        self.suspended = suspended
    }

    /// A load that has failed before it began.
    private struct Refusal: LoadHandle {
        var received: Int { 0 }
        func cancel() {}
    }

    /// Starts a load; the closures are called on the chosen loader's thread, or on the caller's for a suspended source.
    ///
    /// The beginning of an image is examined while it arrives, and the load ends at once if it is not one.
    package func load(
        _ fetch: OriginFetch,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        guard !suspended.contains(fetch.source.name) else {
            completion(.failure(.sourceSuspended))
            return Refusal()
        }
        let loader = fetch.source.isFolder ? files : transfers
        var request = TransferRequest(fetch)
        let examination = ImageExamination(of: fetch.source)
        if examinesImages, fetch.exchange == nil, !fetch.source.isFolder { request.inspection = examination.inspection }
        var announce: (@Sendable (TransferResponse) -> Void)?
        if let arrival {
            announce = { response in
                if let response = try? FetchedResponse(response, to: fetch) { arrival(response) }
            }
        }
        return loader.load(request, arrival: announce) { result in
            switch result {
            case .success(let response):
                completion(Result { () throws(PipelineError) in try FetchedResponse(response, to: fetch) })
            case .failure(.contentRefused(let reason)):
                completion(.failure(examination.refusal ?? .notAnImage(reason)))
            case .failure(let error): completion(.failure(PipelineError(error)))
            }
        }
    }
}

extension TransferRequest {
    /// Creates the transfer request of a fetch.
    init(_ fetch: OriginFetch) {
        self.init(
            fetch.target,
            options: fetch.source.transferOptions,
            entityTag: fetch.entityTag,
            lastModified: fetch.lastModified
        )
        caller = fetch.caller
        account = fetch.account
        deadline = fetch.deadline
        exchange = fetch.exchange
        interim = fetch.interim
        priority = fetch.priority
        cookie = fetch.cookie
        onHead = fetch.onHead
    }
}

extension SourceRule {
    /// The options of transfers from the source.
    var transferOptions: TransferOptions {
        var options = TransferOptions(source: name)
        options.allowPrivate = allowPrivate
        options.headers = headers
        options.credentials = credentials
        options.connections = connections
        options.tls = tls
        options.proxy = proxy
        options.interface = interface
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

extension FetchedResponse {
    /// Seconds for which a file is fresh.
    private static let fileLifetime: Int64 = 10

    /// Converts a transfer's response, with the freshness of its redirect chain.
    init(_ response: TransferResponse, to fetch: OriginFetch) throws(PipelineError) {
        let head = ChainFreshness.combine(redirects: response.redirects, last: response.head)
        let content: Content =
            switch response.body {
            case .none: .none
            case .bytes(let bytes): .bytes(bytes)
            case .file(let body): .file(try OriginBody(body))
            case .growing(let file): .growing(file)
            }
        self.init(
            status: head.status,
            fields: head.fields,
            content: content,
            requestTime: head.requestTime,
            responseTime: head.responseTime
        )
        if fetch.source.isFolder { grantedLifetime = Self.fileLifetime }
        phases.resolve = response.timing.resolve
        phases.connect = response.timing.connect
        phases.secure = response.timing.secure
        phases.firstByte = response.timing.firstByte
    }
}

extension OriginBody {
    /// Converts a transfer's body.
    init(_ body: TransferBody) throws(PipelineError) {
        guard let digest = CacheKey(bytes: body.digest.bytes) else { throw .overloaded("no digest") }
        self.init(file: body.file, length: body.length, digest: digest)
    }
}

extension PipelineError {
    /// Converts a transfer's failure.
    init(_ error: TransferError) {
        self =
            switch error {
            case .notFound: .originNotFound
            case .unreachable(let reason): .originUnreachable(reason)
            case .timeout(let phase): .originTimeout(phase)
            case .violation(let reason): .originProtocol(reason)
            case .addressRefused(let rule): .addressRefused(rule)
            case .unresolved: .addressRefused(PipelineError.unresolvedRule)
            case .contentRefused(let reason): .notAnImage(reason)
            case .tooLarge(let limit): .sourceTooLarge(limit: limit)
            case .overloaded(let reason): .overloaded(reason)
            case .circuitOpen(let seconds): .circuitOpen(secondsLeft: seconds)
            case .suspended: .sourceSuspended
            case .cancelled: .cancelled
            }
    }
}

extension FileLoader.Recognition {
    /// Recognises images; all other files are reported as missing, whatever their size.
    package static let images = FileLoader.Recognition(prefix: ImageSniffer.preferredPrefix) { bytes, length in
        if case .unknown = ImageSniffer.sniff(bytes.span, totalLength: length) { return false }
        return true
    }
}
