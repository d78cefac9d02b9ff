import HTTPSemantics

/// What the running and the waiting jobs say about the workers that are needed.
struct TransformDemand: Hashable {
    /// The jobs that could run at once: those that run or wait, but only one of the background jobs that wait.
    var jobs: Int
    /// Whether all are one client's, and none is a background job, which leaves a worker free.
    var isOneClients = false
}

extension TransformDemand {
    init<Item>(of schedule: TransformSchedule<Item>) {
        jobs = schedule.runs.count + schedule.waiting + min(1, schedule.waitingBehind)
        isOneClients =
            schedule.accounts.count <= 1 && schedule.accounts[nil] == nil && schedule.waitingBehind == 0
            && !schedule.runs.values.contains { $0.job.priority == .background }
    }
}
