import HTTPSemantics
package import LinuxSystem
package import OriginTransfer

/// Loads the picture that a page names (`PageImage`; SDWebImage: the loader of its LinkPlugin).
///
/// The page and its picture are two loads of the transfer engine, under the same address policy, within one total timeout. The
/// picture is never read as a page, so that there are no loops. An image at the page's URL is delivered itself. The response's
/// freshness is the lesser of the picture's and the page's, as if the page had redirected to it.
package struct PageLoader: TransferLoading {
    private let engine: any TransferLoading
    private let time: any TimeSource

    /// Creates a loader over a transfer engine.
    package init(_ engine: any TransferLoading, time: any TimeSource = SystemTime()) {
        self.engine = engine
        self.time = time
    }

    package func canLoad(_ target: OriginTarget) -> Bool {
        if case .page = target { true } else { false }
    }

    package func load(
        _ request: TransferRequest,
        arrival: (@Sendable (TransferResponse) -> Void)?,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle {
        let load = PageLoad(request, engine: engine, time: time, arrival: arrival, completion: completion)
        load.start()
        return load
    }
}

/// One load of a page and its picture; any thread.
private final class PageLoad: LoadHandle {
    typealias Outcome = Result<TransferResponse, TransferError>

    private struct State {
        var current: (any LoadHandle)?
        /// The loads that were started: the page's handle may arrive after its picture's.
        var count = 0
        var isCancelled = false
        /// Whether other clients have waited for it than at first.
        var hasChanged = false
    }

    private static let accept = "text/html,application/xhtml+xml,image/*,*/*;q=0.8"

    private let request: TransferRequest
    private let engine: any TransferLoading
    private let time: any TimeSource
    private let started: Int64
    private let arrival: (@Sendable (TransferResponse) -> Void)?
    private let completion: @Sendable (Outcome) -> Void
    private let state = Lock(State())

    init(
        _ request: TransferRequest,
        engine: any TransferLoading,
        time: any TimeSource,
        arrival: (@Sendable (TransferResponse) -> Void)?,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.request = request
        self.engine = engine
        self.time = time
        started = time.monotonic
        self.arrival = arrival
        self.completion = completion
    }

    var received: Int { state.withLock { $0.current }?.received ?? 0 }
    var expected: Int? { state.withLock { $0.current }?.expected }

    func waitersChanged() {
        let current = state.withLock { state in
            state.hasChanged = true
            return state.current
        }
        current?.waitersChanged()
    }

    func cancel() {
        let current = state.withLock { state in
            state.isCancelled = true
            return state.current
        }
        current?.cancel()
    }

    /// Loads the page.
    func start() {
        guard case .page(let url, let limit) = request.target else { return completion(.failure(.notFound)) }
        var page = request
        page.target = .url(url)
        // The validators are those of a picture, maybe another one than the page names now.
        (page.entityTag, page.lastModified) = (nil, nil)
        page.accept = Self.accept
        page.inspection = inspection(limit: limit)
        page.onHead = nil
        run(page, arrival: nil) { [self] result in
            switch result {
            case .success(let response): continued(with: response, at: url, limit: limit)
            case .failure: completion(result)
            }
        }
    }

    private func run(
        _ request: TransferRequest,
        arrival: (@Sendable (TransferResponse) -> Void)?,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let handle = engine.load(request, arrival: arrival, completion: completion)
        let (isCancelled, hasChanged) = state.withLock { state in
            if state.count == number { state.current = handle }
            return (state.isCancelled, state.hasChanged)
        }
        if isCancelled { handle.cancel() }
        if hasChanged { handle.waitersChanged() }
    }

    /// Ends the load of anything but an image and a page within the limit.
    private func inspection(limit: Int) -> TransferRequest.Inspection? {
        request.inspection.map { images in
            TransferRequest.Inspection(first: images.first) { beginning, expected in
                let verdict = images.examine(beginning, expected)
                guard case .refused = verdict, PageImage.isMarkup(beginning) else { return verdict }
                guard max(beginning.count, expected ?? 0) <= limit else { return .refused(PageLoader.tooLong) }
                return .needs(min(beginning.count * 2, limit + 1))
            }
        }
    }

    /// Continues with the page's picture.
    private func continued(with response: TransferResponse, at url: OriginURL, limit: Int) {
        guard case .file(let body) = response.body, let bytes = body.file.read(count: min(body.length, limit)) else {
            return completion(.success(response))
        }
        if (try? OriginalHeader.examine(bytes, of: body.length)) != nil { return completion(.success(response)) }
        guard PageImage.isMarkup(bytes) else { return completion(.failure(.contentRefused(PageLoader.noPage))) }
        guard body.length <= limit else { return completion(.failure(.contentRefused(PageLoader.tooLong))) }
        var final = url
        for hop in response.redirects {
            if let location = hop.fields["location"], let next = try? final.resolving(location) { final = next }
        }
        guard let picture = PageImage(in: bytes)?.url(on: final) else {
            return completion(.failure(.contentRefused(PageLoader.noPicture)))
        }
        var next = request
        next.target = .url(picture)
        (next.entityTag, next.lastModified) = (nil, nil)
        let elapsed = Int((time.monotonic - started) / 1_000_000)
        next.options.timeouts.total = max(1, request.options.timeouts.total - elapsed)
        let hops = response.redirects + [response.head.asPage]
        let announce = arrival.map { arrival -> @Sendable (TransferResponse) -> Void in
            { arrival($0.following(hops)) }
        }
        run(next, arrival: announce) { [completion] result in completion(result.map { $0.following(hops) }) }
    }
}

extension PageLoader {
    static let tooLong = "the page is longer than remote.page-bytes"
    static let noPage = "it is neither an image nor a page"
    static let noPicture = "the page names no picture (og:image)"
}

extension TransferResponse {
    /// The response with the redirects that led to its URL.
    fileprivate func following(_ hops: [TransferHead]) -> TransferResponse {
        var response = self
        response.redirects = hops + redirects
        return response
    }
}

extension TransferHead {
    /// The seconds for which a page's choice is kept, whatever the page says.
    private static let pageLifetimes: ClosedRange<Int64> = 60...86_400
    /// The seconds for which it is kept if the page says nothing.
    private static let pageLifetime: Int64 = 3_600

    /// The head with the freshness of the page's choice of a picture.
    ///
    /// Most pages forbid caches to store them, as they are made for each visitor; their picture is not.
    fileprivate var asPage: TransferHead {
        let bounds = Self.pageLifetimes
        let lifetime = min(max(statedAllowance ?? Self.pageLifetime, bounds.lowerBound), bounds.upperBound)
        var page = self
        page.fields = FieldLines()
        page.fields.append("Cache-Control", "max-age=\(lifetime)")
        return page
    }
}
