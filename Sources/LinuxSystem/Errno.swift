import Glibc

/// The error of a failed system call: the error number and the name of the call.
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value of `errno` after the call.
    package let code: CInt
    /// The failed call, for logs.
    package let call: String

    /// Creates an error from a number.
    package init(_ code: CInt, _ call: StaticString) {
        self.code = code
        self.call = call.description
    }

    /// The current thread's `errno`, right after a failed call.
    package static func current(_ call: StaticString) -> Errno { Errno(errno, call) }

    package var description: String { "\(call): \(Self.text(of: code))" }

    /// The system's text of an error number.
    package static func text(of code: CInt) -> String { unsafe String(cString: strerror(code)) }
}

/// Runs a system call, repeating it while signals interrupt it.
///
/// - Returns: the result of the call; `nil` if a non-blocking descriptor would have blocked.
/// - Throws: `Errno` for all other failures.
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

/// As `retrying`, for calls on blocking descriptors, where would-block is an error.
@inline(__always)
@discardableResult
package func checked<Value: SignedInteger>(_ call: StaticString, _ body: () -> Value) throws(Errno) -> Value {
    guard let value = try retrying(call, body) else { throw Errno(EAGAIN, call) }
    return value
}
