import Foundation
import Glibc
import TestSupport

/// A program on a terminal of its own: what it writes can be read, and keys can be typed.
///
/// It is killed when this object is released.
final class PseudoTerminal {
    enum Failure: Error {
        case system(String, CInt)
        /// The text did not come; what was written.
        case missing(String, output: String)
    }

    private let master: CInt
    private let identifier: pid_t
    private var status: CInt?
    /// Everything written so far.
    private(set) var output = ""

    /// Starts the binary built with the tests, as the leader of a session with this terminal.
    init(_ arguments: [String], environment: [String: String] = [:], columns: UInt16 = 100, rows: UInt16 = 30) throws {
        // posix_openpt and the others need _XOPEN_SOURCE; these are the calls behind them (pty(7)).
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (CInt, CInt) = (0, 0)
        guard master >= 0, unsafe ioctl(master, 0x4004_5431 /* TIOCSPTLCK */, &lock) == 0,
            unsafe ioctl(master, 0x8004_5430 /* TIOCGPTN */, &number) == 0
        else { throw Failure.system("/dev/ptmx", errno) }
        let path = "/dev/pts/\(number)"
        // The size must be known before the program starts.
        Self.resize(master, columns: columns, rows: rows)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens becomes its own.
        unsafe posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which needs _GNU_SOURCE.
        unsafe posix_spawnattr_setflags(&attributes, 0x80)
        let binary = DaemonProcess.buildFolder + "/edgeprint"
        let variables = ["PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8"].merging(environment) { $1 }
        var vector = unsafe ([binary] + arguments).map { unsafe strdup($0) } + [nil]
        var block = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (vector + block).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let code = unsafe posix_spawn(&identifier, binary, &actions, &attributes, &vector, &block)
        guard code == 0 else { throw Failure.system("posix_spawn", code) }
        self.identifier = identifier
    }

    deinit {
        if status == nil {
            kill(identifier, SIGKILL)
            _ = waitForExit()
        }
        close(master)
    }

    /// Reads until a text has been written `times`, for at most 20 seconds.
    func wait(for text: String, times: Int = 1) throws {
        while output.components(separatedBy: text).count <= times {
            guard read() else { throw Failure.missing(text, output: output) }
        }
    }

    /// Reads until the program has closed the terminal; returns its exit code, or 128 + the signal.
    func end() -> CInt {
        while read() {}
        return waitForExit()
    }

    /// Types keys.
    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = unsafe Glibc.write(master, bytes, bytes.count)
    }

    /// Changes the size, of which the program is told with SIGWINCH.
    func resize(columns: UInt16, rows: UInt16) { Self.resize(master, columns: columns, rows: rows) }

    private static func resize(_ master: CInt, columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe withUnsafeMutablePointer(to: &size) { unsafe ioctl(master, UInt(TIOCSWINSZ), $0) }
    }

    private func read() -> Bool {
        var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, 20_000) == 1 else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(master, &buffer, buffer.count)
        // EIO: the last program has closed the terminal.
        guard count > 0 else { return false }
        output += String(decoding: buffer[..<count], as: UTF8.self)
        return true
    }

    private func waitForExit() -> CInt {
        if let status { return status }
        var raw: CInt = 0
        while unsafe waitpid(identifier, &raw, 0) < 0, errno == EINTR {}
        let code = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + (raw & 0x7F)
        status = code
        return code
    }
}
