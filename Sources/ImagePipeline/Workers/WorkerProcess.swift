import CLinux
import Glibc
import ImagePlan
import LinuxSystem

/// One `edgeprint-worker` process and the daemon's end of its socket; used by one driver thread at a time.
///
/// The thread that starts it must outlive the process: the parent-death signal fires when the starting *thread* ends.
final class WorkerProcess: Sendable {
    private struct Ending {
        var isReaped = false
        var exitCode: CInt?
    }

    let pid: pid_t
    /// The daemon's end, non-blocking.
    let socket: CInt
    /// Numbers of system calls that it may make besides those that the filter lists.
    let calls: [UInt32]
    private let ending = Lock(Ending())
    /// The exit code of a process that exited; `nil` before that and after a signal.
    var exitCode: CInt? { ending.withLock { $0.exitCode } }

    /// Starts a process, which greets when it is ready.
    ///
    /// - Throws: `Errno` if no socket or process can be created. A missing executable shows as a process that ends at once.
    init(
        path: String,
        arguments: [String] = [],
        calls: [UInt32] = [],
        configuration: WorkerPool.Configuration
    ) throws(Errno) {
        self.calls = calls
        var ends: [CInt] = [-1, -1]
        try checked("socketpair") { unsafe edge_seqpacket_pair(&ends) }
        socket = ends[0]
        for end in ends {
            // Room for a whole message in either direction; the kernel caps the size at net.core.wmem_max.
            var size = CInt(4 * WorkerMessage.maximumSize)
            unsafe setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        edge_set_nonblocking(ends[0])
        let started = Self.spawn(path, arguments, descriptor: ends[1], configuration)
        close(ends[1])
        guard started > 0 else {
            let error = Errno.current("fork")
            close(ends[0])
            throw error
        }
        pid = started
    }

    deinit {
        end()
        close(socket)
    }

    /// Kills the process and waits for it.
    ///
    /// - Returns: how the process ended, if it had ended before.
    @discardableResult
    func end() -> WorkerEnd {
        let isReaped = ending.withLock { ending in
            defer { ending.isReaped = true }
            return ending.isReaped
        }
        guard !isReaped else { return .lost }
        kill(pid, SIGKILL)
        return reap()
    }

    /// Sets the niceness of all threads of the process (setpriority(2)).
    func setNiceness(_ niceness: WorkerNiceness) { edge_yield_process(pid, niceness.rawValue) }

    /// Whether the process still has its end of the socket.
    var isConnected: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 0
    }

    /// Waits for a process that has closed its socket, and kills it after a second.
    func endAfterHangUp() -> WorkerEnd {
        guard !(ending.withLock { $0.isReaped }) else { return .lost }
        let descriptor = edge_pidfd_open(pid)
        if descriptor >= 0 {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, 1_000)
            close(descriptor)
        }
        return end()
    }

    /// The resident size of a process in bytes; 0 if it has ended.
    static func residentBytes(of pid: pid_t) -> Int {
        guard pid > 0 else { return 0 }
        let descriptor = unsafe edge_open("/proc/\(pid)/statm", O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return 0 }
        // proc_pid_statm(5): total and resident pages.
        let fields = bytes[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else { return 0 }
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    private func reap() -> WorkerEnd {
        var status: CInt = 0
        while unsafe waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return .lost }
        }
        if edge_wait_exited(status) != 0 {
            let code = edge_wait_exit_code(status)
            ending.withLock { $0.exitCode = code }
        }
        return WorkerEnd(status: status)
    }

    /// Starts the executable under a worker's limits with a descriptor as its number 3.
    ///
    /// - Returns: the process id, or -1 with `errno`.
    static func spawn(
        _ path: String,
        _ arguments: [String] = [],
        descriptor: CInt,
        _ configuration: WorkerPool.Configuration
    ) -> pid_t {
        // The daemon's environment may hold secrets and is not passed on.
        let environment = [
            "LANG=C", "HOME=/nonexistent", "TMPDIR=/tmp", "VIPS_CONCURRENCY=1", "VIPS_WARNING=0", "OMP_NUM_THREADS=1",
            "SWIFT_BACKTRACE=enable=no",
        ]
        return unsafe withCStrings([path] + arguments) { arguments in
            unsafe withCStrings(environment) { environment in
                var descriptors = [descriptor]
                return unsafe edge_spawn(
                    path,
                    arguments,
                    environment,
                    &descriptors,
                    1,
                    configuration.addressSpace,
                    configuration.processorSeconds,
                    configuration.files,
                    Int64(max(1 << 20, configuration.outputLimit))
                )
            }
        }
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { text in unsafe strdup(text) }
        unsafe copies.append(nil)
        defer {
            unsafe copies.forEach { copy in unsafe free(copy) }
        }
        return unsafe copies.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("an array with an element has an address") }
            return unsafe body(base)
        }
    }
}

extension WorkerProcess {
    /// The outcome of waiting for a message.
    enum Arrival {
        /// A whole message and its descriptors.
        case message([UInt8], [SharedDescriptor])
        /// The process closed its socket: it has ended or is about to.
        case hungUp
        /// The driver's event was raised.
        case woken
        /// The time has run out.
        case late
    }

    /// Sends a message with at most 16 descriptors; `false` if the process does not accept it.
    func send(_ message: [UInt8], descriptors: [CInt]) -> Bool {
        let sent = unsafe message.withUnsafeBytes { bytes in
            unsafe edge_send_with_descriptors(
                socket,
                bytes.baseAddress,
                bytes.count,
                descriptors,
                CInt(descriptors.count)
            )
        }
        return sent == message.count
    }

    /// Waits for a message until a monotonic time in nanoseconds or until `wake` is raised.
    func receive(until limit: Int64, wake: WakeEvent, time: any TimeSource) -> Arrival {
        while true {
            let left = limit - time.monotonic
            guard left > 0 else { return .late }
            var entries = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = CInt(clamping: (left + 999_999) / 1_000_000)
            let count = unsafe poll(&entries, 2, milliseconds)
            if count < 0, errno != EINTR { return .hungUp }
            guard count > 0 else { continue }
            if entries[0].revents != 0 {
                if let arrival = receiveNow() { return arrival }
            }
            if entries[1].revents != 0 {
                wake.take()
                return .woken
            }
        }
    }

    /// Reads one message; `nil` if none is available.
    private func receiveNow() -> Arrival? {
        // One byte more than the longest message, to detect longer ones.
        var bytes = [UInt8](repeating: 0, count: WorkerMessage.maximumSize + 1)
        var numbers = [CInt](repeating: -1, count: WorkerMessage.maximumOutputs)
        var room = CInt(numbers.count)
        let count = unsafe edge_receive_with_descriptors(socket, &bytes, bytes.count, &numbers, &room)
        if count < 0 {
            if errno == EAGAIN || errno == EINTR { return nil }
            // EMSGSIZE: more descriptors than a message may carry. The empty message fails to decode.
            return errno == EMSGSIZE ? .message([], []) : .hungUp
        }
        let descriptors = numbers.prefix(Int(room)).map { SharedDescriptor(owning: $0) }
        if count == 0 { return .hungUp }
        bytes.removeSubrange(Int(count)...)
        return .message(bytes, descriptors)
    }
}
