/// Replays the requests of an access log against simulated caches of several sizes, line by line.
///
/// Every cache starts empty. What the log does not tell is left out: freshness, purges, and requests that are made at the same time.
struct LogReplay {
    /// Why a replay cannot go on.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// The settings of a replay.
    struct Settings {
        var sizes: [SimulatedCache.Sizes]
        var sources: [[UInt8]: ReplaySource] = [:]
        /// Bytes of an original whose size the log does not tell.
        var original = 1 << 20
        /// Requests at the beginning that fill the caches and are not counted.
        var warmUp = 0
        /// Of this many originals, one is replayed, in caches that are as much smaller.
        var sampling = 1
    }

    /// What the lines were.
    struct Counts: Hashable, Sendable {
        var lines = 0
        /// Lines that are not of an access log.
        var unreadable = 0
        /// The number of the first one; 0 for none.
        var firstUnreadable = 0
        /// Requests that are not for stored content: other methods and statuses, aborted ones, and requests for no source.
        var others = 0
        /// Requests for content that no complete response told the size of.
        var unsized = 0
        /// Requests outside the sample.
        var unsampled = 0
        /// Requests that only filled the caches.
        var warmUp = 0
    }

    let caches: [SimulatedCache]
    private(set) var counts = Counts()
    private(set) var catalogue: ReplayCatalogue
    let settings: Settings

    init(_ settings: Settings) {
        self.settings = settings
        catalogue = ReplayCatalogue(assumed: settings.original)
        caches = settings.sizes.map { SimulatedCache($0.divided(by: settings.sampling)) }
    }

    /// The number of requests that were replayed and counted.
    var replayed: Int { caches.first?.total.requests ?? 0 }

    /// Replays the request of a line.
    ///
    /// - Parameter isCut: whether the line was too long to be read whole.
    /// - Throws: `Problem` if the log has too many different targets.
    mutating func add(_ line: [UInt8], isCut: Bool = false) throws(Problem) {
        counts.lines += 1
        guard !line.allSatisfy({ $0 == 0x20 }) else { return }
        guard !isCut, let logged = LoggedRequest(line) else {
            counts.unreadable += 1
            if counts.firstUnreadable == 0 { counts.firstUnreadable = counts.lines }
            return
        }
        guard Self.isForContent(logged) else {
            counts.others += 1
            return
        }
        let source = settings.sources[ReplayTarget.source(of: logged.target)] ?? ReplaySource()
        let target = ReplayTarget(logged.target, isRaw: source.isRaw)
        guard settings.sampling == 1 || Self.isInSample(target.original, settings.sampling) else {
            counts.unsampled += 1
            return
        }
        guard let response = catalogue.enter(target, format: logged.format) else {
            throw Problem(
                description: "line \(counts.lines): the log has more than \(ReplayCatalogue.limit) different targets; "
                    + "replay a part of them with --sample \(settings.sampling * 10)"
            )
        }
        learn(logged, response, target.kind)
        guard let length = catalogue.length(of: response.number) else {
            counts.unsized += 1
            return
        }
        let isCounted = counts.warmUp >= settings.warmUp
        if !isCounted { counts.warmUp += 1 }
        let request = SimulatedCache.Request(
            response: response,
            kind: target.kind,
            source: source,
            length: length,
            originalLength: catalogue.length(ofOriginal: response.original),
            seconds: logged.seconds
        )
        for cache in caches { cache.answer(request, isCounted: isCounted) }
    }

    private mutating func learn(
        _ logged: LoggedRequest,
        _ response: ReplayCatalogue.Response,
        _ kind: ReplayTarget.Kind
    ) {
        // HEAD, 304 and 206 do not tell the size, nor does a response that was cut off.
        guard logged.status == 200, logged.method != Array("HEAD".utf8), logged.isComplete else { return }
        catalogue.learn(response.number, length: logged.bytes)
        if kind != .variant {
            catalogue.learn(original: response.original, length: logged.bytes)
        } else if let saved = logged.saved {
            catalogue.learn(original: response.original, length: max(0, logged.bytes + saved))
        }
    }

    private static let constant: Set<String> = ["/", "/robots.txt", "/favicon.ico"]

    /// Whether a request is for content that the cache may hold.
    private static func isForContent(_ logged: LoggedRequest) -> Bool {
        let method = String(decoding: logged.method, as: UTF8.self)
        guard ["GET", "HEAD", ""].contains(method), [200, 206, 304].contains(logged.status),
            logged.target.first == UInt8(ascii: "/"), !constant.contains(String(decoding: logged.target, as: UTF8.self))
        else { return false }
        // The log cuts long targets, so that different ones look equal.
        return !logged.target.suffix(3).elementsEqual("…".utf8)
    }

    /// Whether an original belongs to the sample: by a hash (FNV-1a), so that all requests for it do.
    private static func isInSample(_ original: [UInt8], _ sampling: Int) -> Bool {
        let hash = original.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return (hash ^ hash >> 32) % UInt64(sampling) == 0
    }
}

extension SimulatedCache.Sizes {
    /// The sizes for one of `count` parts of all requests.
    fileprivate func divided(by count: Int) -> Self {
        Self(pictures: pictures / count, raw: raw / count, originals: originals / count, variants: variants / count)
    }
}
