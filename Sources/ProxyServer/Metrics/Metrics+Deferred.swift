import ImagePipeline

extension Metrics {
    /// Writes what became of AVIFs that are made in the background.
    static func write(_ deferrals: DeferredStatistics, waiting: Int, to text: inout Exposition) {
        let made = deferrals.made
        text.counter("edgeprint_deferred_total", "WebPs that were made to stand in for AVIFs.", made)
        text.counter("edgeprint_deferred_swapped_total", "AVIFs that took their places.", deferrals[.swapped])
        text.counter("edgeprint_deferred_larger_total", "AVIFs no smaller than the WebP.", deferrals[.larger])
        text.counter("edgeprint_deferred_failed_total", "AVIFs that could not be made.", deferrals[.failed])
        text.counter("edgeprint_deferred_abandoned_total", "AVIFs given up for now.", deferrals[.abandoned])
        text.counter("edgeprint_deferred_dropped_total", "AVIFs that found the queue full.", deferrals[.dropped])
        text.gauge("edgeprint_deferred_queue", "Pictures that wait for their AVIF.", Double(waiting))
    }
}
