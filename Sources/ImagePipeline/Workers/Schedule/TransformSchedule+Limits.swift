extension TransformSchedule {
    /// Bounds of a schedule; times are in nanoseconds.
    struct Limits: Hashable, Sendable {
        /// The number of workers.
        var workers: Int
        /// The maximum number of waiting jobs, and of waiting background jobs.
        var waiting = 512
        /// The longest wait of a job, predicted or real.
        var queueTime: Int64 = 2_000_000_000
        /// The wait of an account's oldest job above which the newest start first.
        var patience: Int64 = 100_000_000
        /// How long a job always runs before it can be ended for others.
        var shortestRun: Int64 = 250_000_000
        /// The maximum bytes of decoded pixels of all running jobs together; a job over it runs alone.
        var bytes = Int.max

        /// A job can be ended for others after this many times its expected duration.
        static var overrun: Int64 { 4 }
        /// Among starts of the newest job, one in so many takes the oldest.
        static var startsPerOldest: Int { 8 }

        /// Waiting for this long raises a job by one priority.
        var ageing: Int64 { max(1, queueTime / 4) }

        /// How long a background job waits at most before it starts although others wait; between two such starts passes the same time.
        var longestBehind: Int64 { queueTime.multipliedCapped(by: 10) }

        /// The number of jobs that an account may run at a time.
        ///
        /// Jobs of the daemon for which clients wait have no account, and may take all workers.
        func share(of account: TransformAccount<Item>) -> Int {
            account.takesAll ? workers : max(1, workers - 1)
        }
    }

    /// Returns whether a job is too late to be started: it has waited, and would end after its deadline.
    ///
    /// A job that did not wait always runs: there is no overload, and the expectation may be wrong.
    ///
    /// - Parameters:
    ///   - waited: nanoseconds in the queue.
    ///   - cost: the expected duration in nanoseconds.
    ///   - deadline: monotonic nanoseconds; `nil` for none.
    func isTooLate(waited: Int64, cost: Int64, deadline: Int64?, at now: Int64) -> Bool {
        guard let deadline else { return false }
        return deadline <= (waited > limits.patience ? now.addingCapped(cost) : now)
    }
}

extension Int64 {
    /// The sum, at most `Int64.max`.
    func addingCapped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The product with a positive number, at most `Int64.max`.
    func multipliedCapped(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
