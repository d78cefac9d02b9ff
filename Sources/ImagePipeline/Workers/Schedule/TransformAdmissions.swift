/// The requests of accounts that send more than can be made: when one was refused, and those that were accepted and have no job yet,
/// because their originals are being downloaded.
///
/// A value without clocks: times and intervals are in nanoseconds. At most `capacity` accounts; of further ones nothing is noted.
struct TransformAdmissions {
    private struct Account {
        var refusal: Int64?
        /// When requests were accepted, oldest first.
        var accepted: [Int64] = []

        func isOver(at now: Int64, after interval: Int64) -> Bool {
            [refusal, accepted.last].allSatisfy { $0.map { now - $0 >= interval } ?? true }
        }
    }

    static let capacity = 1_024
    /// The maximum number of accepted requests that an account has; of further ones none is noted.
    static let largestCount = 64

    private var accounts: [String?: Account] = [:]
    /// How long it typically takes until an accepted request has a job.
    private(set) var download: Int64 = 0
    /// The typical cost of a job.
    private(set) var cost: Int64 = 0

    /// The number of accounts.
    var count: Int { accounts.count }

    /// Whether a request of an account was refused within an interval.
    func hasRefused(_ key: String?, within interval: Int64, of now: Int64) -> Bool {
        accounts[key]?.refusal.map { now - $0 < interval } ?? false
    }

    /// Returns the number of an account's accepted requests that have no job yet; those accepted before an interval never will.
    mutating func accepted(_ key: String?, within interval: Int64, of now: Int64) -> Int {
        accounts[key]?.accepted.removeAll { now - $0 >= interval }
        return accounts[key]?.accepted.count ?? 0
    }

    /// Notes that a request was refused; forgets accounts of which nothing was noted for an interval if there are too many.
    mutating func noteRefusal(of key: String?, at now: Int64, forgetting interval: Int64) {
        change(key, at: now, interval) { $0.refusal = now }
    }

    /// Notes that a request was accepted.
    mutating func noteAcceptance(of key: String?, at now: Int64, forgetting interval: Int64) {
        change(key, at: now, interval) { account in
            if account.accepted.count < Self.largestCount { account.accepted.append(now) }
        }
    }

    /// Notes a new job, as that of the account's oldest accepted request.
    mutating func noteJob(of key: String?, cost: Int64, at now: Int64) {
        self.cost += (cost - self.cost) / 8
        guard let accepted = accounts[key]?.accepted.first else { return }
        accounts[key]?.accepted.removeFirst()
        download += (now - accepted - download) / 8
    }

    private mutating func change(_ key: String?, at now: Int64, _ interval: Int64, _ body: (inout Account) -> Void) {
        if accounts.count >= Self.capacity, accounts[key] == nil {
            accounts = accounts.filter { !$0.value.isOver(at: now, after: interval) }
            guard accounts.count < Self.capacity else { return }
        }
        body(&accounts[key, default: Account()])
    }
}
