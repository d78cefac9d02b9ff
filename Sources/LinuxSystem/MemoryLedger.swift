/// The account of one kind of memory: the bytes in use, and the most there may be; any thread.
package final class MemoryLedger: Sendable {
    private struct State: Sendable {
        var used = 0
        var limit: Int
        var refusals: UInt64 = 0
    }

    private let state: Lock<State>

    /// Creates an empty account.
    ///
    /// - Parameter limit: the maximum number of bytes.
    package init(limit: Int) {
        state = Lock(State(limit: limit))
    }

    /// The bytes in use.
    package var used: Int { state.withLock { $0.used } }
    /// The maximum number of bytes.
    package var limit: Int { state.withLock { $0.limit } }
    /// The number of reservations that the limit has refused.
    package var refusals: UInt64 { state.withLock { $0.refusals } }

    /// Changes the limit; what is in use stays.
    package func setLimit(_ limit: Int) { state.withLock { $0.limit = limit } }

    /// Reserves bytes; returns false, and reserves nothing, if that exceeds the limit.
    fileprivate func take(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard bytes <= state.limit - state.used else {
                state.refusals &+= 1
                return false
            }
            state.used += bytes
            return true
        }
    }

    fileprivate func give(back bytes: Int) { state.withLock { $0.used -= bytes } }
}

/// The bytes of one object in a ledger, which get them back when it is released; any thread.
package final class MemoryCharge: Sendable {
    private let ledger: MemoryLedger
    private let bytes = Lock(0)

    /// Creates a charge of no bytes.
    package init(to ledger: MemoryLedger) {
        self.ledger = ledger
    }

    deinit { release() }

    /// Charges more bytes; returns false, and charges nothing, if that exceeds the ledger's limit.
    package func add(_ more: Int) -> Bool {
        guard ledger.take(more) else { return false }
        bytes.withLock { $0 += more }
        return true
    }

    /// Gives all bytes back; more can be added afterwards.
    package func release() {
        let held = bytes.withLock { bytes in
            defer { bytes = 0 }
            return bytes
        }
        if held > 0 { ledger.give(back: held) }
    }
}
