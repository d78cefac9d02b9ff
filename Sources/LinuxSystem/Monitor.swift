import Glibc

/// A lock with a condition variable: state that threads share and wait on.
///
/// For queues whose consumers block on their own threads; if no thread waits, use `LinuxSystem.Lock`.
// Unchecked: `state` is accessed only between pthread_mutex_lock and pthread_mutex_unlock, and the two pthread objects keep their
// addresses from init to deinit, as POSIX requires.
@safe package final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// Creates a monitor that protects a state.
    package init(_ state: State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe changed = .allocate(capacity: 1)
        unsafe changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Reads or changes the state without waking waiters.
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Changes the state and wakes one waiter, or all of them.
    package func update<Result>(wakingAll: Bool = false, _ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let result = body(&state)
        if wakingAll {
            unsafe pthread_cond_broadcast(changed)
        } else {
            unsafe pthread_cond_signal(changed)
        }
        return result
    }

    /// Blocks the calling thread until `body` returns something.
    ///
    /// - Parameter nanoseconds: the longest wait on the monotonic clock; `nil` waits without limit.
    /// - Returns: the result of `body`; `nil` after a timeout.
    package func wait<Result>(nanoseconds: Int64? = nil, until body: (inout State) -> Result?) -> Result? {
        let deadline = nanoseconds.map(Self.deadline(in:))
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            guard var deadline else {
                unsafe pthread_cond_wait(changed, mutex)
                continue
            }
            if unsafe pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return body(&state) }
        }
    }

    private static func deadline(in nanoseconds: Int64) -> timespec {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let total = Int64(time.tv_nsec) + nanoseconds
        return timespec(tv_sec: time.tv_sec + Int(total / 1_000_000_000), tv_nsec: Int(total % 1_000_000_000))
    }
}
