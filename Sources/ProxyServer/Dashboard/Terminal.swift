import CLinux
import Glibc

/// The size of a terminal in characters.
struct TerminalSize: Sendable, Hashable {
    var columns: Int
    var rows: Int

    /// The size of the terminal behind a descriptor; 80 by 24 if it does not tell.
    static func current(_ descriptor: CInt = STDOUT_FILENO) -> TerminalSize {
        var size = winsize()
        let code = unsafe withUnsafeMutablePointer(to: &size) { unsafe ioctl(descriptor, UInt(TIOCGWINSZ), $0) }
        guard code == 0, size.ws_col > 0, size.ws_row > 0 else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

/// What a terminal can show.
struct TerminalLook: Sendable, Hashable {
    /// Whether output may have colours (https://no-color.org).
    var isColoured: Bool
    /// Whether output may have more than ASCII.
    var isUnicode: Bool

    /// Reads the conventions of the environment.
    init(_ environment: [String: String]) {
        isColoured = (environment["NO_COLOR"] ?? "").isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        isUnicode = locale.lowercased().replacing("-", with: "").contains("utf8")
    }

    /// Whether a screen can be drawn: the descriptor is a terminal that understands control sequences.
    static func canDraw(_ environment: [String: String], _ descriptor: CInt = STDOUT_FILENO) -> Bool {
        isatty(descriptor) == 1 && environment["TERM"] != "dumb" && !(environment["TERM"] ?? "").isEmpty
    }
}

/// The signals that a command on a terminal waits for: the end, and a change of the terminal's size.
///
/// They are blocked, and received between two outputs, so that the terminal can be restored.
struct TerminalSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH]
    private var set = sigset_t()

    /// Blocks the signals for the calling thread and those that it starts.
    init() {
        unsafe sigemptyset(&set)
        for number in Self.numbers { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for one of the signals.
    ///
    /// - Returns: its number, or `nil` after `seconds`.
    func next(within seconds: Double) -> CInt? {
        var time = timespec()
        time.tv_sec = Int(max(0, seconds))
        time.tv_nsec = Int((max(0, seconds) - Double(time.tv_sec)) * 1e9)
        var set = set
        let number = unsafe sigtimedwait(&set, nil, &time)
        return number > 0 ? number : nil
    }
}

/// Control sequences for a screen that is redrawn in place (ECMA-48, xterm's alternate screen).
enum TerminalScreen {
    /// Shows an empty screen beside the normal one, without a cursor.
    static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[H\u{1B}[J"
    /// Shows the normal screen and the cursor again.
    static let end = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// Replaces what is shown by some lines.
    static func frame(_ lines: [String]) -> String {
        "\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J"
    }
}
