import Glibc

/// A failed system call: the error number and the call's name.
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value of `errno` after the call.
    package let code: CInt
    /// The call that failed, for logs.
    package let call: String

    /// Wraps an error number.
    package init(_ code: CInt, _ call: StaticString) {
        self.code = code
        self.call = call.description
    }

    /// The current thread's `errno`, for a call that has just failed.
    package static func current(_ call: StaticString) -> Errno { Errno(errno, call) }

    package var description: String { unsafe "\(call): \(String(cString: strerror(code)))" }
}

/// Runs a system call again while a signal interrupts it.
///
/// - Returns: the call's value; `nil` when a non-blocking descriptor would have blocked, which is a state and no error.
/// - Throws: `Errno` for everything else.
@inline(__always)
package func retrying<Value: SignedInteger>(_ call: StaticString, _ body: () -> Value) throws(Errno) -> Value? {
    while true {
        let value = body()
        if value >= 0 { return value }
        switch errno {
        case EINTR: continue
        case EAGAIN: return nil
        default: throw Errno.current(call)
        }
    }
}

/// As `retrying`, for calls on blocking descriptors: a would-block is an error there.
@inline(__always)
@discardableResult
package func checked<Value: SignedInteger>(_ call: StaticString, _ body: () -> Value) throws(Errno) -> Value {
    guard let value = try retrying(call, body) else { throw Errno(EAGAIN, call) }
    return value
}
