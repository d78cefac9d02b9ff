import LinuxSystem

/// Everything that the daemon counts, and the text that `/metrics` answers; any thread.
///
/// What changes with every request is counted per event loop; what another part knows is read when somebody asks.
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

    private let readings = Lock<[@Sendable (inout Exposition) -> Void]>([])

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

    /// Adds what another part knows.
    ///
    /// At start only, so that the list has a bound; the closure must not block.
    func read(_ reading: @escaping @Sendable (inout Exposition) -> Void) {
        readings.withLock { $0.append(reading) }
    }

    /// The text that `/metrics` answers.
    func exposition() -> String {
        var text = Exposition()
        text.counter("edgeprint_requests_total", "Answered requests by what became of them.", requests)
        text.counter("edgeprint_responses_total", "Answers by class of status.", responses)
        text.counter("edgeprint_response_bytes_total", "Bytes sent to clients, heads included.", responseBytes)
        text.gauge("edgeprint_requests_in_flight", "Requests not answered yet.", Double(inFlight.value))
        text.histogram("edgeprint_request_duration_seconds", "From request to the answer's last byte.", requestDuration)
        text.counter("edgeprint_configuration_reloads_total", "Configurations read again (SIGHUP).", reloads)
        text.counter("edgeprint_purges_total", "Purges that were done.", purges)
        stages.write(to: &text)
        for reading in readings.withLock({ $0 }) { reading(&text) }
        return text.text
    }
}
