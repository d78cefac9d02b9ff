import Glibc

/// The thread that owns some state, so that code confined to it can assert that it runs there.
package struct ThreadOwner: Sendable {
    private let thread = pthread_self()

    /// Makes the current thread the owner.
    package init() {}

    /// Whether the owner is the current thread.
    package var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

    /// Stops the process unless the owner calls; debug builds only.
    @inline(__always)
    package func assertCurrent() { assert(isCurrent, "called on a thread that does not own this state") }
}
