import CLinux
import Glibc

/// The limit on the descriptors of this process (`RLIMIT_NOFILE` in setrlimit(2)).
package enum DescriptorLimit {
    /// The limit in force, the soft one; 0 if it cannot be determined.
    package static var current: Int { Int(clamping: values?.rlim_cur ?? 0) }

    /// Raises the soft limit to the hard one; the processes that are started later inherit it.
    ///
    /// The usual soft limit of 1,024 is for programs that use select(2).
    package static func raise() throws(Errno) {
        guard var values, values.rlim_cur < values.rlim_max else { return }
        values.rlim_cur = values.rlim_max
        try checked("setrlimit") { unsafe setrlimit(resource, &values) }
    }

    /// Whether this process, or the machine, has no descriptor left at the moment.
    package static var isReached: Bool {
        let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == EMFILE || errno == ENFILE
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

    private static var values: rlimit? {
        var values = rlimit()
        return unsafe getrlimit(resource, &values) == 0 ? values : nil
    }
}

/// Closes descriptors that are kept only to save time, when the process has none left (EMFILE in open(2)); any thread.
package final class DescriptorRelief: Sendable {
    /// A structure, because a lock that holds a function itself wraps it in another one with each access.
    private struct Action: Sendable {
        var close: (@Sendable () -> Int)?
    }

    private let action = Lock(Action())

    /// Creates a relief that closes nothing yet.
    package init() {}

    /// Sets what closes descriptors.
    ///
    /// - Parameter close: returns the number of files that it has given up; those that are being sent are closed later.
    package func set(_ close: @escaping @Sendable () -> Int) { action.withLock { $0.close = close } }

    /// Closes what can be closed.
    ///
    /// - Returns: whether that was anything, so that a call that has failed is worth another attempt.
    @discardableResult
    package func relieve() -> Bool { (action.withLock { $0.close }?() ?? 0) > 0 }
}
