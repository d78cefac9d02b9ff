/// Checks that the limits of workers can be set, and whether a crash would write a core dump.
struct ProcessLimitCheck: DoctorCheck {
    /// The address space limit of a worker in bytes (`workers.memory`).
    let workerMemory: Int

    /// The limits of a worker's CPU time in seconds and of its files in bytes (`WorkerPool.Configuration`).
    private static let processorTime = 3600
    private static let fileSize = 64 << 20

    func findings(_ probe: any SystemProbe) -> [Finding] { workerFindings(probe) + [core(probe)] }

    /// Checks hard limits, which can only be lowered (setrlimit(2)).
    private func workerFindings(_ probe: any SystemProbe) -> [Finding] {
        let limits: [(ProcessResource, Int, String, String)] = [
            (.addressSpace, workerMemory, "address space", "ulimit -v unlimited, or LimitAS=infinity in the unit"),
            (.processorTime, Self.processorTime, "processor time", "ulimit -t unlimited, or LimitCPU=infinity"),
            (.fileSize, Self.fileSize, "file size", "ulimit -f unlimited, or LimitFSIZE=infinity"),
        ]
        let short = limits.compactMap { resource, wanted, name, fix -> Finding? in
            guard let hard = probe.limit(resource).hard, hard < wanted else { return nil }
            let message = "the hard limit \(hard) is below a worker's limit of \(wanted): no worker would start"
            return .failure(name, message, fix: resource == .addressSpace ? fix + ", or a lower workers.memory" : fix)
        }
        return short.isEmpty ? [.ok("process limits", "sufficient for workers")] : short
    }

    private func core(_ probe: any SystemProbe) -> Finding {
        let limit = probe.limit(.core)
        guard limit.soft != 0 else { return .ok("core dumps", "off") }
        return .note(
            "core dumps",
            "a crash of the daemon may write its memory, keys and tokens included, to disk",
            fix: "ulimit -c 0 before serve, or LimitCORE=0 in the unit"
        )
    }
}
