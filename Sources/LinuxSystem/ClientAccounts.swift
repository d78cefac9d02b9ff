/// What each client uses at the moment: connections to this server and to origins, and workers.
///
/// The one table that limits per client and operators read. An account is the text that a client's work is charged to, such as its
/// IPv4 address. An account that uses nothing is forgotten, so the table is bounded by the limits on what it counts. Any thread.
package final class ClientAccounts: Sendable {
    /// What is counted.
    package enum Resource: Sendable {
        /// Open connections of the client to this server.
        case connections
        /// Downloads that occupy a connection to an origin.
        case downloads
        /// Downloads that wait for a connection to an origin.
        case waitingDownloads
        /// Transforms on a worker.
        case transforms
        /// Transforms that wait for a worker.
        case waitingTransforms
    }

    /// What one account uses.
    package struct Use: Hashable, Sendable {
        /// Open connections to this server.
        package var connections = 0
        /// Downloads that occupy a connection to an origin.
        package var downloads = 0
        /// Downloads that wait for a connection to an origin.
        package var waitingDownloads = 0
        /// Milliseconds for which ended downloads have occupied connections, since the account last used nothing.
        package var downloadMilliseconds: Int64 = 0
        /// Transforms on a worker.
        package var transforms = 0
        /// Transforms that wait for a worker.
        package var waitingTransforms = 0
        /// Milliseconds that ended transforms have taken, since the account last used nothing.
        package var transformMilliseconds: Int64 = 0

        fileprivate var isIdle: Bool { connections == 0 && work == 0 }
        /// Downloads and transforms.
        fileprivate var work: Int { downloads + waitingDownloads + transforms + waitingTransforms }

        fileprivate subscript(_ resource: Resource) -> Int {
            get {
                switch resource {
                case .connections: connections
                case .downloads: downloads
                case .waitingDownloads: waitingDownloads
                case .transforms: transforms
                case .waitingTransforms: waitingTransforms
                }
            }
            set {
                switch resource {
                case .connections: connections = newValue
                case .downloads: downloads = newValue
                case .waitingDownloads: waitingDownloads = newValue
                case .transforms: transforms = newValue
                case .waitingTransforms: waitingTransforms = newValue
                }
            }
        }
    }

    private let accounts = Lock<[String: Use]>([:])

    /// Creates an empty table.
    package init() {}

    /// The number of accounts that use something.
    package var count: Int { accounts.withLock(\.count) }

    /// What an account uses.
    package func use(of account: String) -> Use { accounts.withLock { $0[account] } ?? Use() }

    /// Changes what an account uses by a number, which may be negative.
    ///
    /// - Returns: what it uses then.
    @discardableResult
    package func add(_ number: Int, _ resource: Resource, to account: String) -> Int {
        accounts.withLock { accounts in
            var use = accounts[account] ?? Use()
            use[resource] += number
            accounts[account] = use.isIdle ? nil : use
            return use[resource]
        }
    }

    /// Ends a download of an account.
    ///
    /// - Parameter milliseconds: how long it has occupied a connection.
    package func endDownload(of account: String, milliseconds: Int64) {
        accounts.withLock { accounts in
            guard var use = accounts[account] else { return }
            use.downloads -= 1
            use.downloadMilliseconds += milliseconds
            accounts[account] = use.isIdle ? nil : use
        }
    }

    /// Ends a transform of an account.
    ///
    /// - Parameter milliseconds: how long it has occupied a worker.
    package func endTransform(of account: String, milliseconds: Int64) {
        accounts.withLock { accounts in
            guard var use = accounts[account] else { return }
            use.transforms -= 1
            use.transformMilliseconds += milliseconds
            accounts[account] = use.isIdle ? nil : use
        }
    }

    /// The accounts that use the most, first by downloads and transforms in progress and waiting, then by connections.
    package func largest(_ number: Int) -> [(account: String, use: Use)] {
        let all = accounts.withLock { Array($0) }
        let sorted = all.sorted { left, right in
            let (one, other) = (left.value, right.value)
            let order = [
                (one.work, other.work),
                (one.connections, other.connections),
            ]
            for (a, b) in order where a != b { return a > b }
            return left.key < right.key
        }
        return sorted.prefix(max(0, number)).map { ($0.key, $0.value) }
    }
}
