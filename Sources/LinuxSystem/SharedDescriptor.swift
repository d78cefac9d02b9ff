import Glibc

/// A file descriptor that closes when its last owner lets go; owners may be on any thread.
///
/// Who sends a file to a client, or a source to a worker, holds one of these: an evicted file stays readable until then.
package final class SharedDescriptor: Sendable {
    /// The descriptor's number, valid as long as this object lives.
    package let number: CInt

    /// Takes ownership of an open descriptor.
    package init(owning number: CInt) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
