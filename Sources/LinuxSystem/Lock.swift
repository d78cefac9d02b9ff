import Synchronization

/// A value that one thread at a time may touch, for short critical sections without I/O.
///
/// Everything in the project that locks goes through this type, so that a build under the thread sanitizer, which reports
/// false races on `Mutex`, can exchange the primitive in one place.
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    /// Guards a value.
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access.
    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
