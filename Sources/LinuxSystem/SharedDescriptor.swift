import Glibc

/// A file descriptor that closes when its last owner releases it; owners may be on any thread.
///
/// Code that sends a file to a client or a worker holds one of these, so an evicted file stays readable until it is done.
package final class SharedDescriptor: Sendable {
    /// The number of the descriptor, valid during the lifetime of this object.
    package let number: CInt

    /// Takes ownership of an open descriptor.
    package init(owning number: CInt) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
