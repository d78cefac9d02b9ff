/// Whether there are descriptors enough for `limits.connections` (`RLIMIT_NOFILE`).
struct DescriptorLimitCheck: DoctorCheck {
    let connections: Int
    let workers: Int

    /// Index, logs, listeners, event loops, the admin listener's connections.
    private static let fixed = 300
    /// A socket to each worker, and its source.
    private static let perWorker = 4
    /// Transfers on the wire, and files that are being stored or read.
    private static let underWay = 256

    /// A connection, and for a part of them a file that is being sent.
    private var wanted: Int { Self.fixed + Self.underWay + Self.perWorker * workers + connections + connections / 4 }
    private var least: Int { Self.fixed + Self.perWorker * workers }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let subject = "open files"
        guard let soft = probe.limit(.files).soft else { return [.ok(subject, "no limit")] }
        guard soft < wanted else {
            return [.ok(subject, "\(soft) descriptors, enough for limits.connections \(connections)")]
        }
        let fix =
            "ulimit -n \(wanted) before serve, or LimitNOFILE=\(wanted) in the unit, or a lower limits.connections"
        guard soft >= least else {
            let message = "\(soft) descriptors: the daemon cannot work with fewer than \(least) (ulimit -n)"
            return [.failure(subject, message, fix: fix)]
        }
        let message = "\(soft) descriptors, of which limits.connections \(connections) may take \(wanted) (ulimit -n)"
        return [.warning(subject, message, fix: fix)]
    }
}
