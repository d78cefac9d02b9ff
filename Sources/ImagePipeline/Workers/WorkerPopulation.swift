/// How many worker processes a pool keeps: one for each job, and one more for the next job, but the last one only for other clients.
///
/// So a client that comes while another one has all the others waits once, for the end of a job or for a start.
///
/// A process starts when it is needed, and ends once fewer have sufficed for `idle`. One always stays, so that the first job after an
/// idle time finds a warm worker. A value without clocks or locks: calls state the time, in monotonic nanoseconds.
struct WorkerPopulation {
    /// The maximum number of processes.
    let slots: Int
    /// The time after which processes that are not needed end, in nanoseconds; `nil` to keep one in each slot.
    var idle: Int64?
    /// The slots that have a process, or start one.
    private(set) var count = 1
    /// For each number of processes, less one: when so many were needed last.
    private var lastNeeded: [Int64]

    init(slots: Int, idle: Int64?, at now: Int64) {
        self.slots = slots
        self.idle = idle
        lastNeeded = Array(repeating: now, count: slots)
    }

    /// Records the jobs that run or wait.
    ///
    /// - Returns: the number of processes to start; `count` already contains them.
    mutating func need(_ demand: TransformDemand, at now: Int64) -> Int {
        // The last worker runs no job of a client that has all others (`TransformSchedule`).
        let useful = demand.isOneClients ? max(1, slots - 1) : slots
        let needed = idle == nil ? slots : min(useful, demand.jobs + 1)
        for index in 0..<needed { lastNeeded[index] = now }
        let missing = max(0, needed - count)
        count += missing
        return missing
    }

    /// Takes one process away that has not been needed for `idle`.
    ///
    /// - Returns: whether an idle process must end.
    mutating func leave(at now: Int64) -> Bool {
        guard remaining(at: now) == 0 else { return false }
        count -= 1
        return true
    }

    /// The nanoseconds until a process can end if nothing happens; `nil` if none can.
    func remaining(at now: Int64) -> Int64? {
        guard let idle, count > 1 else { return nil }
        return max(0, lastNeeded[count - 1] + idle - now)
    }
}
