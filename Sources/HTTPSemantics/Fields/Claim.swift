/// A client that waits for work, and how urgently.
package struct Claim: Hashable, Sendable {
    /// The client account; `nil` for the daemon's own work, and for clients that are not told apart.
    package var account: String?
    package var priority: RequestPriority

    /// Creates a claim.
    package init(_ account: String?, _ priority: RequestPriority) {
        self.account = account
        self.priority = priority
    }

    /// Whether the work can wait: it is the daemon's own, or no client waits for it yet.
    package var isOwn: Bool { priority == .background || account == nil && priority == .low }
}

/// The clients that wait for shared work; any thread.
///
/// Waiters join and leave while the work is queued, so its clients are determined when they are needed.
package struct SharedClaims: Sendable {
    /// The maximum number of clients that count; of more, those that came first.
    package static let limit = 8

    private let current: @Sendable () -> [Claim]

    /// No client.
    package static let none = SharedClaims(of: { [] })

    /// Creates the claims of one client.
    package init(_ claim: Claim) { current = { [claim] } }

    /// Creates the claims of several waiters, each client with its most urgent priority.
    ///
    /// - Parameter waiters: returns the claims of those that wait at present, in order of arrival.
    package init(of waiters: @escaping @Sendable () -> [SharedClaims]) {
        current = {
            var all: [Claim] = []
            for claim in waiters().flatMap({ $0.all }) {
                if let index = all.firstIndex(where: { $0.account == claim.account }) {
                    all[index].priority = max(all[index].priority, claim.priority)
                } else if all.count < Self.limit {
                    all.append(claim)
                }
            }
            return all
        }
    }

    /// The clients that wait at present, in order of arrival.
    package var all: [Claim] { current() }

    /// Returns the clients in whose turns the work may be done: those that wait now, not for later.
    ///
    /// - Parameter own: the claim of work that no client waits for.
    package func turns(else own: Claim) -> [Claim] {
        let all = all
        let urgent = all.filter { !$0.isOwn }
        return urgent.isEmpty ? [all.first ?? own] : urgent
    }
}

extension [Claim] {
    /// The most urgent priority.
    package var urgency: RequestPriority { reduce(.background) { Swift.max($0, $1.priority) } }
}
