public import Synchronization

/// A value that one thread at a time may touch, for short critical sections without I/O.
///
/// Everything in the project that locks goes through this type, so that a build under the thread sanitizer, which reports
/// false races on `Mutex`, can exchange the primitive in one place. Public and inlinable (a `package` body is not carried over
/// to other modules, seen in a profile), since event loops lock on the way of a hit:
/// unspecialised generics cost more there than the lock itself.
@frozen
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline
    let mutex: Mutex<Value>

    /// Guards a value.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access.
    @inlinable
    @inline(__always)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
