import CLinux
import Glibc
import HTTPKit
import LinuxSystem

/// A process of the installed program that takes over the listening sockets of this one (`SIGUSR2`).
///
/// It is started with the arguments and the environment of this process, and gets the sockets as a service manager would pass them
/// (sd_listen_fds(3)). It sends `SIGUSR1` once it serves; until then, this process serves.
struct Successor: Sendable {
    /// The signal that asks a daemon to start its successor.
    static let request = SIGUSR2
    /// The signal by which a successor tells its predecessor that it serves.
    static let readiness = SIGUSR1

    let process: pid_t

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - environment: the variables of this process.
    ///   - sockets: the sockets and their names.
    /// - Throws: `Errno` if no process can be created.
    init(_ environment: [String: String], sockets: [(descriptor: SharedDescriptor, name: String)]) throws(Errno) {
        let path = try Self.program()
        var variables = environment
        for name in ["WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { variables[name] = nil }
        variables[ServiceEnvironment.predecessorName] = String(getpid())
        variables["LISTEN_FDS"] = String(sockets.count)
        variables["LISTEN_FDNAMES"] = sockets.map(\.name).joined(separator: ":")
        var numbers = sockets.map(\.descriptor.number)
        let count = CInt(numbers.count)
        let arguments = [path] + CommandLine.arguments.dropFirst()
        let started = unsafe Self.withCStrings(arguments) { arguments in
            unsafe Self.withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe edge_spawn_successor(path, arguments, variables, &numbers, count)
            }
        }
        withExtendedLifetime(sockets) {}
        guard started > 0 else { throw .current("fork") }
        process = started
    }

    /// Whether the process has ended, which it is not to do before it has told that it serves.
    var hasEnded: Bool { waitpid(process, nil, WNOHANG) != 0 }

    /// Asks the process to stop.
    func stop() { kill(process, SIGTERM) }

    /// The path of this process's program; that of the new one after an upgrade.
    private static func program() throws(Errno) -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe bytes.withUnsafeMutableBytes { raw -> Int in
            guard let start = unsafe raw.baseAddress?.assumingMemoryBound(to: CChar.self) else { return -1 }
            return unsafe readlink("/proc/self/exe", start, raw.count)
        }
        guard count > 0 else { throw .current("readlink") }
        let path = String(decoding: bytes[..<count], as: UTF8.self)
        // The kernel appends this if the file was replaced (proc(5)).
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { text in unsafe strdup(text) }
        unsafe copies.append(nil)
        defer { unsafe copies.forEach { copy in unsafe free(copy) } }
        return unsafe copies.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("an array with an element has an address") }
            return unsafe body(base)
        }
    }
}
