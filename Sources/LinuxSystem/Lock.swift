public import Synchronization

/// A value protected by a mutex, for short critical sections without I/O.
///
/// A value that is itself a function belongs into a structure: as `Value` it is wrapped in two more functions with each access,
/// so that after many of them a call overflows the stack.
///
/// All locking in the project uses this type, so that a build with the thread sanitizer, which reports false races on `Mutex`,
/// can replace the primitive in one place. Public and inlinable because event loops lock on the hit path: `package` bodies are
/// not specialised in other modules, and profiles showed the unspecialised generics to cost more than the lock.
@frozen
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline
    let mutex: Mutex<Value>

    /// Creates a lock that protects a value.
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
