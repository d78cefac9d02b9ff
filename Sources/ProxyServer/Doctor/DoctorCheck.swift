/// One thing that `edgeprint doctor` looks at.
///
/// A check knows what the daemon needs; what there is, it asks of the probe, so that a test can recount any machine.
protocol DoctorCheck: Sendable {
    /// What it finds, at least one finding; blocks.
    func findings(_ probe: any SystemProbe) -> [Finding]
}
