/// Checks that the parts of the memory budget add up to no more than it, and that the machine and the control group have it.
struct MemoryCheck: DoctorCheck {
    let configuration: Configuration

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let memory = MachineMemory(probe)
        let plan = MemoryPlan(configuration, of: memory, cores: ProcessorCount.online)
        let wanted = plan.sum
        let sum = "\(plan.list): \(Printing.size(wanted)) together"
        let fix =
            "leave these sizes at auto, or lower cache.memory, transfers.memory, workers.count or workers.decode-bytes"
        if let limit = memory.group, limit < wanted {
            let message = "the control group is limited to \(Printing.size(limit)); \(sum)"
            let more = ", lower limits.memory, or raise MemoryMax= (docker: --memory)"
            return [.warning("memory", message, fix: fix + more)]
        }
        guard let total = memory.total else {
            return [.note("memory", "the machine's memory is unknown; \(sum)", fix: "mount /proc")]
        }
        guard total >= wanted else {
            let message = "the machine has \(Printing.size(total)); \(sum)"
            return [.warning("memory", message, fix: fix + ", or lower limits.memory")]
        }
        if let warning = plan.warning { return [.warning("memory", warning, fix: fix + ", or raise limits.memory")] }
        return [
            .ok("memory", "\(sum), within limits.memory, \(Printing.size(plan.budget)), of \(Printing.size(total))")
        ]
    }
}
