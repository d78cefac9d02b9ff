import HTTPSemantics
import LinuxSystem

/// How the requests that wait for an exchange affect its load.
extension CacheExchange {
    /// Ensures that the load ends with its last waiter, unless it is worth finishing, and has the turn of any of their clients.
    func followWaiters() {
        flight.onAbandon(unless: { [self] in isWorthFinishing }, cancel: { [self] in load.withLock { $0 }?.cancel() })
        flight.onChange { [self] in load.withLock { $0 }?.waitersChanged() }
    }

    private var isWorthFinishing: Bool {
        // Unsafe requests are never cancelled.
        guard request.isSafe else { return true }
        // Those who were given the arriving content no longer wait for the flight, but read the content.
        if hasReaders { return true }
        guard request.keepsOnDisk else { return false }
        let load = load.withLock { $0 }
        return request.source.continues.continues(received: load?.received ?? 0, expected: load?.expected)
    }

    /// The place of the load in the loader's queue.
    var priority: RequestPriority {
        max(request.isRefresh ? .background : request.priority, flight.priority)
    }
}
