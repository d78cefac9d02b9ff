import CLinux
import Glibc

/// Signals that are received with `next()` instead of by handlers (sigwait(3)).
///
/// Threads inherit the signal mask of their creator: create the value on the main thread before starting any other. A blocked
/// signal stays pending until it is received.
package struct BlockedSignals: Sendable {
    private let numbers: [CInt]

    /// Blocks signals on the calling thread and on every thread it starts from now on.
    package init(_ numbers: [CInt]) {
        self.numbers = numbers
        var set = set
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks the calling thread until one of the signals arrives, and tells which process has sent it; 0 for the kernel.
    package func nextWithSender() -> (number: CInt, sender: CInt) {
        var set = set
        while true {
            var info = unsafe siginfo_t()
            let number = unsafe sigwaitinfo(&set, &info)
            // EINTR: by a signal that is not blocked.
            guard number > 0 else { continue }
            return (number, unsafe edge_signal_sender(&info))
        }
    }

    private var set: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }
}
