package import HTTPCache
import ImagePlan

extension OriginRequest {
    /// Returns the deadline of a request for the original itself: the source's `timeouts.total` after its arrival.
    ///
    /// - Parameter arrival: the request's arrival in monotonic nanoseconds.
    package func deadline(from arrival: Int64) -> SharedDeadline {
        SharedDeadline(after: source.timeouts.total, arrival)
    }
}

extension VariantRequest {
    /// Returns the deadline of a request: the sum of the timeouts of its phases after its arrival.
    ///
    /// The phases are the original's download, the simultaneous downloads of the auxiliary images, and the transform. While none
    /// of these times out, a request can only be later because it waited in queues.
    /// - Parameter arrival: the request's arrival in monotonic nanoseconds.
    package func deadline(from arrival: Int64) -> SharedDeadline {
        let timeouts = origin.source.timeouts
        var phases = [timeouts.total]
        if let slowest = auxiliaries.map(\.origin.source.timeouts.total).max() { phases.append(slowest) }
        if plan != nil { phases.append(timeouts.transform) }
        return SharedDeadline(after: phases.reduce(0) { $0.addingSaturated($1) }, arrival)
    }
}

extension SharedDeadline {
    fileprivate init(after milliseconds: Int, _ arrival: Int64) {
        let (sum, overflow) = arrival.addingReportingOverflow(Int64(milliseconds.multipliedSaturated(by: 1_000_000)))
        self.init(overflow ? nil : sum)
    }
}
