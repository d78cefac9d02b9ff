/// A check of `edgeprint doctor`.
///
/// A check knows what the daemon needs, and queries the machine through a probe, so that tests can simulate any machine.
protocol DoctorCheck: Sendable {
    /// Runs the check; returns at least one finding. Blocks.
    func findings(_ probe: any SystemProbe) -> [Finding]
}
