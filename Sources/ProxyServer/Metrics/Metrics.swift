import ImagePipeline
import LinuxSystem

/// The daemon's counts of requests, reloads, purges and stage durations; any thread.
///
/// Counts that change with every request are sharded by event loop. `StatisticsTable` defines how each count is reported.
final class Metrics: Sendable {
    /// Finished requests by result.
    let requests: Counter<RequestResult>
    /// Responses by status class.
    let responses: Counter<StatusClass>
    /// The bytes sent to clients, heads included, and content that nginx sends.
    let responseBytes: Counter<NoLabel>
    /// Requests in progress.
    let inFlight: UpDownCounter
    /// The time from the end of a request to the last byte of its response, by `RequestResult.index`.
    private let durations: [Histogram]
    /// Responses with an image, by its format.
    let formats: Counter<EntityFormat>
    /// The bytes by which images sent were smaller than their originals.
    let savedBytes: Counter<NoLabel>
    /// The bytes by which images sent were larger than their originals.
    let excessBytes: Counter<NoLabel>
    /// Responses whose content nginx sends (`AccelRedirect`), and its bytes.
    let redirects: Counter<NoLabel>
    let redirectedBytes: Counter<NoLabel>
    /// Requests refused to protect others.
    let shed: Counter<ShedReason>
    /// Counts by source.
    let sources: SourceMetrics
    /// The numbers of the sources.
    let sourceNumbers = SourceNumbers()
    /// Requests answered with something else under overload.
    let brownouts: Counter<BrownoutRung>
    /// Configuration reloads by result.
    let reloads: Counter<ReloadResult>
    /// Purges carried out.
    let purges: Counter<NoLabel>
    /// Requests by site.
    let siteRequests: SiteCounters
    /// The durations of a miss's stages.
    let stages = StageHistograms()

    /// Creates metrics at 0.
    ///
    /// - Parameters:
    ///   - loops: the number of event loops.
    ///   - sources: the maximum number of sources that are counted separately (`metrics.sources`).
    init(loops: Int, sources: Int = 0) {
        self.sources = SourceMetrics(bound: sources, loops: loops)
        formats = Counter(loops: loops)
        savedBytes = Counter(loops: loops)
        excessBytes = Counter(loops: loops)
        redirects = Counter(loops: loops)
        redirectedBytes = Counter(loops: loops)
        shed = Counter(loops: loops)
        requests = Counter(loops: loops)
        responses = Counter(loops: loops)
        responseBytes = Counter(loops: loops)
        brownouts = Counter(loops: loops)
        reloads = Counter(loops: loops)
        purges = Counter(loops: loops)
        siteRequests = SiteCounters(loops: loops)
        inFlight = UpDownCounter(loops: loops)
        durations = RequestResult.allCases.map { _ in Histogram(loops: loops) }
    }

    /// The time from the end of a request to the last byte of its response.
    var requestDuration: DurationCounts {
        durations.reduce(into: DurationCounts()) { $0.add($1.durations) }
    }

    /// The same of the requests with a result.
    func duration(of result: RequestResult) -> DurationCounts { durations[result.index].durations }

    /// Records a finished request; on the loop's thread.
    ///
    /// - Parameter saved: the bytes by which an image that was sent whole is smaller than its original.
    func finished(_ tag: AnswerTag, status: Int, bytes: UInt64, saved: Int, microseconds: UInt64, loop: Int) {
        let result = tag.result
        requests.addSingleWriter(1, result, loop: loop)
        responses.addSingleWriter(1, StatusClass(status: status), loop: loop)
        responseBytes.addSingleWriter(bytes, .only, loop: loop)
        durations[result.index].observeSingleWriter(microseconds, loop: loop)
        if let format = tag.format, status < 300 { formats.addSingleWriter(1, format, loop: loop) }
        if saved > 0 {
            savedBytes.addSingleWriter(UInt64(saved), .only, loop: loop)
        } else if saved < 0 {
            excessBytes.addSingleWriter(UInt64(-saved), .only, loop: loop)
        }
        if tag.redirected > 0 {
            redirects.addSingleWriter(1, .only, loop: loop)
            redirectedBytes.addSingleWriter(UInt64(tag.redirected), .only, loop: loop)
        }
        if tag.isShed {
            shed.addSingleWriter(1, .overload, loop: loop)
        } else if status == 429, result == .refused {
            shed.addSingleWriter(1, .client, loop: loop)
        }
        if tag.source > 0 {
            let saved = UInt64(max(0, saved))
            sources.finished(tag.source, result, bytes: bytes, saved: saved, microseconds: microseconds, loop: loop)
        }
    }
}

/// A histogram for each stage of a miss; any thread.
struct StageHistograms: Sendable {
    let fetch = Histogram(loops: 0)
    let queue = Histogram(loops: 0)
    let decode = Histogram(loops: 0)
    let transform = Histogram(loops: 0)
    let encode = Histogram(loops: 0)
    let store = Histogram(loops: 0)

    /// Records the durations of the stages that ran.
    func observe(_ timings: StageTimings) {
        for (histogram, microseconds) in [
            (fetch, timings.fetch), (queue, timings.queue), (decode, timings.decode), (transform, timings.transform),
            (encode, timings.encode), (store, timings.store),
        ] where microseconds > 0 {
            histogram.observe(UInt64(microseconds))
        }
    }
}
