import ImagePipeline

/// How long the stages behind a miss took, a histogram each; any thread.
struct StageHistograms: Sendable {
    private let fetch = Histogram(loops: 0)
    private let queue = Histogram(loops: 0)
    private let decode = Histogram(loops: 0)
    private let transform = Histogram(loops: 0)
    private let encode = Histogram(loops: 0)

    /// Counts the stages that ran.
    func observe(_ timings: StageTimings) {
        for (histogram, microseconds) in [
            (fetch, timings.fetch), (queue, timings.queue), (decode, timings.decode), (transform, timings.transform),
            (encode, timings.encode),
        ] where microseconds > 0 {
            histogram.observe(UInt64(microseconds))
        }
    }

    /// Writes them.
    func write(to text: inout Exposition) {
        text.histogram("edgeprint_fetch_duration_seconds", "Time of a transfer from the origin.", fetch)
        text.histogram("edgeprint_queue_duration_seconds", "A transform's time in the queue.", queue)
        text.histogram("edgeprint_decode_duration_seconds", "A worker's time to open a source.", decode)
        text.histogram("edgeprint_transform_duration_seconds", "A worker's time on the steps.", transform)
        text.histogram("edgeprint_encode_duration_seconds", "A worker's time to decode on demand and encode.", encode)
    }
}
