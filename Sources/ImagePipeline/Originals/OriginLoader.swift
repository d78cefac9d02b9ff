package import HTTPCache
import HTTPSemantics
import ImagePlan
package import OriginTransfer

/// Loads originals with the loader of the registry that their target needs.
///
/// Converts between the types of `OriginTransfer` and those of the pipeline.
package struct OriginLoader: OriginLoading {
    private let loaders: LoaderRegistry
    private let suspended: SuspendedSources
    private let examinesImages: Bool

    /// Creates a loader over a registry.
    ///
    /// - Parameters:
    ///   - suspended: the sources whose loads fail at once, besides those that are configured to be offline.
    ///   - examinesImages: whether a download of an image source ends as soon as it turns out to be no image.
    package init(
        _ loaders: LoaderRegistry,
        suspended: SuspendedSources = SuspendedSources(),
        examinesImages: Bool = true
    ) {
        self.examinesImages = examinesImages
        self.loaders = loaders
        self.suspended = suspended
    }

    /// The failure of all loads of a source that is suspended or offline; `nil` for others.
    private func refusal(of source: SourceRule) -> PipelineError? {
        switch suspended.mode(of: source.name) ?? (source.isOffline ? .offline : nil) {
        case .suspended: .sourceSuspended
        case .offline: .sourceOffline
        case nil: nil
        }
    }

    /// Starts a load; the closures are called on the chosen loader's thread, or on the caller's for a suspended source.
    ///
    /// The beginning of an image is examined while it arrives, and the load ends at once if it is not one. What must be decrypted
    /// is examined when it is complete: until then nothing of it is known to be genuine.
    package func load(
        _ fetch: OriginFetch,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        if let refusal = refusal(of: fetch.source) {
            completion(.failure(refusal))
            return EndedLoad()
        }
        guard let loader = loaders.loader(for: fetch.target) else {
            completion(.failure(.originNotFound))
            return EndedLoad()
        }
        var request = TransferRequest(fetch)
        let examination = ImageExamination(of: fetch.source)
        let isPlain = fetch.source.decryption == nil
        if examinesImages, isPlain, fetch.exchange == nil, !fetch.source.isFolder {
            request.inspection = examination.inspection
        }
        var announce: (@Sendable (TransferResponse) -> Void)?
        if let arrival, isPlain {
            announce = { response in
                if let response = try? FetchedResponse(response, to: fetch) { arrival(response) }
            }
        }
        return loader.load(request, arrival: announce) { result in
            switch result {
            case .success(let response):
                completion(Result { () throws(PipelineError) in try FetchedResponse(response, to: fetch) })
            // The loader of pages has reasons of its own.
            case .failure(.contentRefused(ImageExamination.reason)):
                completion(.failure(examination.refusal ?? .notAnImage(ImageExamination.reason)))
            case .failure(.contentRefused(let reason)):
                completion(.failure(.notAnImage(reason)))
            case .failure(.suspended): completion(.failure(self.refusal(of: fetch.source) ?? .sourceSuspended))
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
        if case .url(let url) = fetch.target { mirrors = fetch.source.mirrorURLs(of: url) }
        caller = fetch.caller
        statusTreatment = fetch.source.effects?.statusTreatment
        account = fetch.account
        claims = fetch.claims
        deadline = fetch.deadline
        exchange = fetch.exchange
        interim = fetch.interim
        priority = fetch.priority
        retriesFailed = fetch.retriesFailed
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
        options.decryption = decryption
        options.isStored = cache.originals.keepOnDisk
        options.connections = connections
        options.tls = tls
        options.proxy = proxy
        options.interface = interface
        options.limits = TransferLimits(
            bytes: limits.sourceBytes,
            redirects: limits.redirects,
            retries: limits.retries
        )
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

extension SourceRule {
    /// Returns the URLs of an original at the source's mirrors.
    func mirrorURLs(of url: OriginURL) -> [OriginURL] {
        guard !mirrors.isEmpty, let prefix = location.urlPrefix.flatMap({ try? OriginURL($0) }),
            url.hasSameOrigin(as: prefix), url.requestTarget.hasPrefix(prefix.requestTarget)
        else { return [] }
        let rest = url.requestTarget.dropFirst(prefix.requestTarget.count)
        return mirrors.compactMap { $0.urlPrefix.flatMap { try? OriginURL($0 + rest) } }
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
        if case .file = fetch.target { grantedLifetime = Self.fileLifetime }
        phases.resolve = response.timing.resolve
        phases.connect = response.timing.connect
        phases.secure = response.timing.secure
        phases.firstByte = response.timing.firstByte
        phases.mirror = response.mirror
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
    package init(_ error: TransferError) {
        self =
            switch error {
            case .notFound: .originNotFound
            case .unreachable(let reason): .originUnreachable(reason)
            case .timeout(let phase): .originTimeout(phase)
            case .violation(let reason): .originProtocol(reason)
            case .addressRefused(let rule): .addressRefused(rule)
            case .unresolved: .addressRefused(PipelineError.unresolvedRule)
            case .contentRefused(let reason): .notAnImage(reason)
            case .undecryptable(let reason): .undecryptable(reason)
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
