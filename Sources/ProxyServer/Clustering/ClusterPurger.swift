import Cluster
import HTTPCache
import HTTPKit
import LinuxSystem

/// Purges on all nodes of a cluster: the purge becomes an entry of the log, and every node applies it; any thread.
struct ClusterPurger: Sendable {
    /// How a purge has ended.
    struct Outcome: Sendable {
        /// Where it was applied.
        enum Reach: Sendable {
            /// It is in the log, and this node has applied it: the others do so within a second, or treat what they hold as stale.
            case log
            /// All nodes have applied it, but for those named, which are out of touch.
            case all(silent: [String])
            /// It is in the log, but these nodes have not said in time that they have applied it.
            case missing([String])
        }

        let sequence: UInt64
        let reach: Reach
        let counts: PurgeCounts
    }

    let follower: LogFollower
    let outcomes: PurgeOutcomes
    let time: any TimeSource
    /// The longest wait for all nodes, in milliseconds.
    let longestWait: @Sendable () -> Int

    /// The longest wait for the log and this node itself, in nanoseconds.
    private static let ownWait: Int64 = 5_000_000_000

    /// Adds a purge to the log, and calls back when this node, or all nodes, have applied it.
    ///
    /// - Parameters:
    ///   - waitsForAll: whether to wait for all nodes.
    ///   - completion: is given the reason if the purge is not, or perhaps not, in the log.
    func purge(
        _ purge: Purge,
        waitsForAll: Bool,
        completion: @escaping @Sendable (Result<Outcome, LogError>) -> Void
    ) {
        // Nobody would serve the queue.
        guard follower.isStarted else {
            return completion(.failure(.unreachable("this process does not follow it")))
        }
        let payload: [UInt8]
        do throws(PurgeEntry.TooLarge) {
            payload = try PurgeEntry.encode(purge, now: time.wallSeconds)
        } catch {
            return completion(.failure(.tooLarge(limit: PurgeEntry.maximumBytes)))
        }
        let began = time.monotonic
        follower.append(payload) { result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let sequence):
                wait(for: sequence, all: waitsForAll, since: began) { reach in
                    // What this node has removed is not known before it has applied the purge.
                    if case .missing = reach {
                        return completion(.success(Outcome(sequence: sequence, reach: reach, counts: PurgeCounts())))
                    }
                    outcomes.take(sequence) { counts in
                        completion(.success(Outcome(sequence: sequence, reach: reach, counts: counts)))
                    }
                }
            }
        }
    }

    private func wait(
        for sequence: UInt64,
        all: Bool,
        since began: Int64,
        completion: @escaping @Sendable (Outcome.Reach) -> Void
    ) {
        let timeout =
            all ? Int64(longestWait()) * 1_000_000 : max(0, began + Self.ownWait - time.monotonic)
        follower.wait(for: sequence, of: all ? .allNodes : .thisNode, timeout: timeout) { result in
            switch result {
            case .applied(let silent): completion(all ? .all(silent: silent) : .log)
            case .missing(let nodes): completion(.missing(nodes))
            }
        }
    }
}
