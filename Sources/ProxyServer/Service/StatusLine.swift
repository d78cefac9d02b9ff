/// The status line of the daemon in `systemctl status`.
struct StatusLine {
    /// `1234 requests, 98 % from memory, 12 connections`.
    let text: String

    init(_ metrics: Metrics, connections: Int64) {
        let all = RequestResult.allCases.reduce(0) { $0 + metrics.requests.value($1) }
        let hits = metrics.requests.value(.memory)
        let share = all == 0 ? "" : ", \(hits * 100 / all) % from memory"
        text = "\(all) requests\(share), \(connections) connections"
    }
}
