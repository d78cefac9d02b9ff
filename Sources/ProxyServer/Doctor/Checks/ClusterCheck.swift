import Cluster

/// Checks that the log of purges can be reached, and answers what nodes ask of it.
struct ClusterCheck: DoctorCheck {
    let location: LogLocation
    let name: String
    /// Looks at the log's engine.
    var inspect: @Sendable (LogLocation, String) throws(LogError) -> LogInspection = {
        location,
        name throws(LogError) in
        try LogInspection(location, name: name)
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let subject = "log of purges"
        do throws(LogError) {
            let found = try inspect(location, name)
            guard !found.evicts else {
                let message = "\(found.engine) evicts keys when its memory is full, and the log with them"
                return [
                    .warning(
                        subject,
                        message,
                        fix: "set maxmemory-policy noeviction, or give the log an engine of its own"
                    )
                ]
            }
            return [
                .ok(subject, "\(found.engine), \(Printing.count(found.nodes.count, "node")) within the last minutes")
            ]
        } catch {
            let fix =
                switch error {
                case .refused:
                    "grant the commands that the page \"Several nodes\" lists, and check password and memory policy"
                default: "start Redis (7 or newer) or Valkey there, and let this host connect to it"
                }
            return [.failure(subject, "\(location): \(error)", fix: fix)]
        }
    }
}
