import ImagePipeline

/// The counts that no other part of the daemon keeps; any thread.
///
/// What changes with every request is counted per event loop. `StatisticsTable` says how each count is reported.
final class Metrics: Sendable {
    /// Answered requests by what became of them.
    let requests: Counter<RequestResult>
    /// Answers by class of status.
    let responses: Counter<StatusClass>
    /// Bytes sent to clients, heads included.
    let responseBytes: Counter<NoLabel>
    /// Requests that have not been answered yet.
    let inFlight: UpDownCounter
    /// From a request's end to its answer's last byte.
    let requestDuration: Histogram
    /// Configurations read again.
    let reloads: Counter<ReloadResult>
    /// Purges that were done.
    let purges: Counter<NoLabel>
    /// The stages behind misses.
    let stages = StageHistograms()

    /// Creates metrics at 0.
    ///
    /// - Parameter loops: the number of event loops, whose counts are kept apart.
    init(loops: Int) {
        requests = Counter(loops: loops)
        responses = Counter(loops: loops)
        responseBytes = Counter(loops: loops)
        reloads = Counter(loops: loops)
        purges = Counter(loops: loops)
        inFlight = UpDownCounter(loops: loops)
        requestDuration = Histogram(loops: loops)
    }

    /// Counts an answered request; on the loop's thread.
    func finished(_ result: RequestResult, status: Int, bytes: UInt64, microseconds: UInt64, loop: Int) {
        requests.add(1, result, loop: loop)
        responses.add(1, StatusClass(status: status), loop: loop)
        responseBytes.add(bytes, loop: loop)
        requestDuration.observe(microseconds, loop: loop)
    }
}

/// How long the stages behind a miss took, a histogram each; any thread.
struct StageHistograms: Sendable {
    let fetch = Histogram(loops: 0)
    let queue = Histogram(loops: 0)
    let decode = Histogram(loops: 0)
    let transform = Histogram(loops: 0)
    let encode = Histogram(loops: 0)

    /// Counts the stages that ran.
    func observe(_ timings: StageTimings) {
        for (histogram, microseconds) in [
            (fetch, timings.fetch), (queue, timings.queue), (decode, timings.decode), (transform, timings.transform),
            (encode, timings.encode),
        ] where microseconds > 0 {
            histogram.observe(UInt64(microseconds))
        }
    }
}
