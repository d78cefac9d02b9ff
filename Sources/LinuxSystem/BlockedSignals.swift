import Glibc

/// Signals that are delivered by `next()` instead of interrupting the process (sigwait(3)).
///
/// Threads inherit the mask of the thread that starts them: create the value on the main thread before any other exists. A blocked
/// signal stays pending until it is taken.
package struct BlockedSignals: Sendable {
    private let numbers: [CInt]

    /// Blocks signals on the calling thread and on every thread that it starts from now on.
    package init(_ numbers: [CInt]) {
        self.numbers = numbers
        var set = set
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the next of the signals; blocks the calling thread.
    package func next() -> CInt {
        var set = set
        var number: CInt = 0
        while unsafe sigwait(&set, &number) != 0 {}
        return number
    }

    private var set: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }
}
