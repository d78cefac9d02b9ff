/// Whether workers can be given their limits, and what a crash would leave on disk.
struct ProcessLimitCheck: DoctorCheck {
    /// Bytes of a worker's address space (`workers.memory`).
    let workerMemory: Int

    /// Seconds of processor time and bytes of a file that a worker is given (`WorkerPool.Configuration`).
    private static let processorTime = 3600
    private static let fileSize = 64 << 20

    func findings(_ probe: any SystemProbe) -> [Finding] { workerFindings(probe) + [core(probe)] }

    /// A limit can be lowered by everybody, and raised by nobody (setrlimit(2)).
    private func workerFindings(_ probe: any SystemProbe) -> [Finding] {
        let limits: [(ProcessResource, Int, String, String)] = [
            (.addressSpace, workerMemory, "address space", "ulimit -v unlimited, or LimitAS=infinity in the unit"),
            (.processorTime, Self.processorTime, "processor time", "ulimit -t unlimited, or LimitCPU=infinity"),
            (.fileSize, Self.fileSize, "file size", "ulimit -f unlimited, or LimitFSIZE=infinity"),
        ]
        let short = limits.compactMap { resource, wanted, name, fix -> Finding? in
            guard let hard = probe.limit(resource).hard, hard < wanted else { return nil }
            let message = "the hard limit \(hard) is below the \(wanted) that a worker is given: none would start"
            return .failure(name, message, fix: resource == .addressSpace ? fix + ", or a lower workers.memory" : fix)
        }
        return short.isEmpty ? [.ok("process limits", "workers can be given theirs")] : short
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
