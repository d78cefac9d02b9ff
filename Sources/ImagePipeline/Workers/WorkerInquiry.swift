import CLinux
import Glibc
import ImagePlan
package import LinuxSystem

/// Starts a worker under the pool's limits and environment to ask for its capabilities.
package struct WorkerInquiry: Sendable {
    /// The reason why a worker sent no reply.
    package enum Failure: Error, Hashable, Sendable {
        case system(Errno)
        /// The process ended without a reply; the exit code, or `nil` for a signal.
        case ended(code: Int?)
        case timedOut
    }

    /// The time to wait for a reply, in milliseconds; a first start reads some 20 MB of libraries from disk.
    private static let patience: Int64 = 20_000
    /// The longest reply, in bytes.
    private static let longestAnswer = 64 << 10

    private let path: String
    private let configuration: WorkerPool.Configuration

    /// Creates an inquiry of the configured worker, by default the one next to the running executable.
    ///
    /// - Throws: `Errno` if the running executable cannot be found.
    package init(_ configuration: WorkerPool.Configuration) throws(Errno) {
        if let configured = configuration.workerPath { path = configured } else { path = try WorkerPool.siblingPath() }
        self.configuration = configuration
    }

    /// Returns the JSON text that the worker prints (`WorkerCapabilities`); blocks.
    ///
    /// The worker is confined as the pool's workers are, and tries its coders under that confinement. System calls that it needs
    /// beyond the filter's are in its posture.
    package func run() throws(Failure) -> [UInt8] {
        var calls: [UInt32] = []
        while true {
            var found: [UInt32] = []
            let answer = Result { () throws(Failure) in try ask(allowing: calls, &found) }
            let news = found.filter { !calls.contains($0) }
            guard !news.isEmpty, calls.count + news.count <= WorkerPosture.maximumCalls else { return try answer.get() }
            calls += news
        }
    }

    private func arguments(_ calls: [UInt32]) -> [String] {
        let mode = configuration.sandbox
        return [WorkerCapabilities.flag, "3"] + SandboxOptions(mode, isCanary: mode != .off, calls: calls).arguments
    }

    /// Starts one worker; `found` receives the numbers of system calls that it reports.
    private func ask(allowing calls: [UInt32], _ found: inout [UInt32]) throws(Failure) -> [UInt8] {
        var ends: [CInt] = [-1, -1]
        guard unsafe edge_seqpacket_pair(&ends) == 0 else { throw .system(.current("socketpair")) }
        let readEnd = SharedDescriptor(owning: ends[0])
        let pid = WorkerProcess.spawn(path, arguments(calls), descriptor: ends[1], configuration)
        let error = Errno.current("fork")
        close(ends[1])
        guard pid > 0 else { throw .system(error) }
        let answer = read(from: readEnd.number, &found)
        if answer == nil { kill(pid, SIGKILL) }
        var status: CInt = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        guard let answer else { throw .timedOut }
        guard edge_wait_exited(status) != 0 else { throw .ended(code: nil) }
        let code = Int(edge_wait_exit_code(status))
        guard code == 0, !answer.isEmpty else { throw .ended(code: code) }
        return answer
    }

    /// Reads messages until the other end is closed; `nil` if that takes too long.
    private func read(from descriptor: CInt, _ found: inout [UInt32]) -> [UInt8]? {
        let time = SystemTime()
        let limit = time.monotonic + Self.patience * 1_000_000
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.longestAnswer)
        while bytes.count < Self.longestAnswer {
            let left = (limit - time.monotonic) / 1_000_000
            guard left > 0 else { return nil }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, CInt(clamping: left)) > 0 else { continue }
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            if let call = try? WorkerMessage.decodeTrapped(Array(chunk[..<count])) {
                found.append(call)
            } else {
                bytes += chunk[..<count]
            }
        }
        return bytes
    }
}
