import ImagePipeline

/// The daemon's counts of requests, reloads, purges and stage durations; any thread.
///
/// Counts that change with every request are sharded by event loop. `StatisticsTable` defines how each count is reported.
final class Metrics: Sendable {
    /// Finished requests by result.
    let requests: Counter<RequestResult>
    /// Responses by status class.
    let responses: Counter<StatusClass>
    /// The bytes sent to clients, heads included.
    let responseBytes: Counter<NoLabel>
    /// Requests in progress.
    let inFlight: UpDownCounter
    /// The time from the end of a request to the last byte of its response.
    let requestDuration: Histogram
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
    /// - Parameter loops: the number of event loops.
    init(loops: Int) {
        requests = Counter(loops: loops)
        responses = Counter(loops: loops)
        responseBytes = Counter(loops: loops)
        brownouts = Counter(loops: loops)
        reloads = Counter(loops: loops)
        purges = Counter(loops: loops)
        siteRequests = SiteCounters(loops: loops)
        inFlight = UpDownCounter(loops: loops)
        requestDuration = Histogram(loops: loops)
    }

    /// Records a finished request; on the loop's thread.
    func finished(_ result: RequestResult, status: Int, bytes: UInt64, microseconds: UInt64, loop: Int) {
        requests.add(1, result, loop: loop)
        responses.add(1, StatusClass(status: status), loop: loop)
        responseBytes.add(bytes, loop: loop)
        requestDuration.observe(microseconds, loop: loop)
    }
}

/// A histogram for each stage of a miss; any thread.
struct StageHistograms: Sendable {
    let fetch = Histogram(loops: 0)
    let queue = Histogram(loops: 0)
    let decode = Histogram(loops: 0)
    let transform = Histogram(loops: 0)
    let encode = Histogram(loops: 0)

    /// Records the durations of the stages that ran.
    func observe(_ timings: StageTimings) {
        for (histogram, microseconds) in [
            (fetch, timings.fetch), (queue, timings.queue), (decode, timings.decode), (transform, timings.transform),
            (encode, timings.encode),
        ] where microseconds > 0 {
            histogram.observe(UInt64(microseconds))
        }
    }
}
