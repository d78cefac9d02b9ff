import CLinux
import Glibc

/// Operating system threads for blocking work, which must stay off Swift's cooperative pool.
package enum SystemThread {
    /// Starts a detached thread named `name` (15 bytes are kept) that runs `body` once.
    ///
    /// - Throws: `Errno` if the system cannot create the thread.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        let start = unsafe Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        defer { unsafe pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                unsafe edge_set_thread_name(start.name)
                start.body()
                return nil
            },
            start.toOpaque()
        )
        guard code == 0 else {
            unsafe start.release()
            throw Errno(code, "pthread_create")
        }
    }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
