/// Checks that the descriptor limit (`RLIMIT_NOFILE`) is sufficient for `limits.connections`.
struct DescriptorLimitCheck: DoctorCheck {
    let connections: Int
    let workers: Int

    /// Descriptors of index, logs, listeners, event loops and admin connections.
    private static let fixed = 300
    /// Descriptors per worker: its socket and its source.
    private static let perWorker = 4
    /// Descriptors of transfers, and of files that are being written or read.
    private static let underWay = 256

    /// The required descriptors: one per connection, and for a quarter of them a file that is being sent.
    private var wanted: Int { Self.fixed + Self.underWay + Self.perWorker * workers + connections + connections / 4 }
    private var least: Int { Self.fixed + Self.perWorker * workers }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let subject = "open files"
        guard let soft = probe.limit(.files).soft else { return [.ok(subject, "no limit")] }
        guard soft < wanted else {
            return [.ok(subject, "\(soft) descriptors, sufficient for limits.connections \(connections)")]
        }
        let fix =
            "ulimit -n \(wanted) before serve, or LimitNOFILE=\(wanted) in the unit, or a lower limits.connections"
        guard soft >= least else {
            let message = "\(soft) descriptors: the daemon needs at least \(least) (ulimit -n)"
            return [.failure(subject, message, fix: fix)]
        }
        let message = "\(soft) descriptors, but limits.connections \(connections) may need \(wanted) (ulimit -n)"
        return [.warning(subject, message, fix: fix)]
    }
}
