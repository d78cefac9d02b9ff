import Foundation
import TestSupport
import Testing

@testable import ProxyServer

/// `edgeprint stats --watch` on a real terminal, and without one.
@Suite(.timeLimit(.minutes(1)))
struct StatsScreenTests {
    private let rig: EndToEndRig

    init() throws {
        let picture = TestImages.gradient(width: 16, height: 12)
        rig = try EndToEndRig { _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        for _ in 0..<3 { #expect(try rig.get("/photos/a.png?w=4&format=png").status == 200) }
    }

    private var arguments: [String] { ["stats", "--admin", "127.0.0.1:\(rig.daemon.admin)"] }

    @Test func `redraws a screen, and gives the terminal back on Ctrl-C`() throws {
        let terminal = try PseudoTerminal(arguments + ["--watch=0.1"])
        try terminal.wait(for: "without origin", times: 3)
        #expect(terminal.output.hasPrefix(TerminalScreen.begin), "\(terminal.output)")
        #expect(terminal.output.contains("memory") && terminal.output.contains("p95"))
        terminal.type("\u{3}")
        #expect(terminal.end() == 0)
        #expect(terminal.output.hasSuffix(TerminalScreen.end), "\(terminal.output.suffix(200))")
        #expect(terminal.output.components(separatedBy: "\u{1B}[?25l").count == 2)
        #expect(terminal.output.components(separatedBy: "\u{1B}[?25h").count == 2)
    }

    @Test func `has latencies with sparklines, in colours`() throws {
        let terminal = try PseudoTerminal(arguments + ["--watch=0.1"])
        try terminal.wait(for: "without origin", times: 3)
        terminal.type("\u{3}")
        #expect(terminal.end() == 0)
        let frames = terminal.output.components(separatedBy: "\u{1B}[H")
        // The first one has the requests since the start of the daemon.
        let busy = try #require(frames.first { $0.contains(/p50 [0-9.]+ (µs|ms)/) }, "\(terminal.output)")
        let line = try #require(busy.split(separator: "\r\n").first { $0.contains("p99") })
        // Yellow, one character for each reading so far.
        #expect(line.contains(/\u{1B}\[33m[ ▁▂▃▄▅▆▇█]+\u{1B}\[0m/), "\(line)")
        #expect(busy.contains("\u{1B}[32m"), "\(busy)")
    }

    @Test func `draws again at once when the terminal changes its size`() throws {
        // The next reading would come in an hour.
        let terminal = try PseudoTerminal(arguments + ["--watch=3600"], columns: 100)
        try terminal.wait(for: "connections")
        terminal.resize(columns: 30, rows: 5)
        // The begin of the screen, and two frames.
        try terminal.wait(for: "\u{1B}[H", times: 3)
        terminal.type("\u{3}")
        #expect(terminal.end() == 0)
        let frame = terminal.output.components(separatedBy: "\u{1B}[H").last ?? ""
        // The terminal adds carriage returns, and echoes the key.
        let shown = frame.replacing(/\u{1B}\[[?0-9;]*[A-Za-z]/, with: "").replacing("^C", with: "")
        let lines = shown.split(whereSeparator: \.isNewline)
        #expect(lines.count <= 5 && lines.allSatisfy { $0.count <= 30 }, "\(lines)")
    }

    @Test func `ends after the number of screens that it was told, without colours if asked`() throws {
        let terminal = try PseudoTerminal(arguments + ["--watch=0.1", "--count", "2"], environment: ["NO_COLOR": "1"])
        #expect(terminal.end() == 0)
        #expect(terminal.output.components(separatedBy: "edgeprint \(Version.text)").count == 3, "\(terminal.output)")
        #expect(!terminal.output.contains("\u{1B}[32m") && !terminal.output.contains("\u{1B}[2m"))
    }

    @Test(arguments: [
        (["--watch=7", "--count", "1"], "7"), (["--watch", "0.5", "--count", "1"], "0.5"),
        (["--watch", "--count", "1"], "2"), (["--count", "1", "--watch"], "2"),
    ])
    func `takes an interval however it is written, and 2 seconds without one`(options: [String], interval: String)
        throws
    {
        let terminal = try PseudoTerminal(arguments + options)
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains("every \(interval) s, Ctrl-C ends"), "\(terminal.output)")
    }

    @Test(arguments: [["--watch=lots"], ["--watch", "lots"], ["--watch=0.01", "--count", "1"], ["--watch=nan"]])
    func `refuses an interval that is none`(options: [String]) throws {
        let run = try CommandRun(arguments + options)
        #expect(run.code == 64 && run.errors.contains("--watch must be 0.1 to 86400 seconds, not '"), "\(run)")
    }

    @Test func `writes plain lines where nothing can be drawn`() throws {
        let run = try CommandRun(arguments + ["--watch=0.1", "--count", "2"])
        #expect(run.code == 0 && !run.output.contains("\u{1B}"), "\(run)")
        #expect(run.output.components(separatedBy: "edgeprint     \(Version.text)").count == 3, "\(run.output)")
        let dumb = try PseudoTerminal(arguments + ["--watch=0.1", "--count", "1"], environment: ["TERM": "dumb"])
        #expect(dumb.end() == 0 && !dumb.output.contains("\u{1B}"), "\(dumb.output)")
    }

    @Test func `reports a daemon that is not there, with the terminal as it was`() throws {
        let terminal = try PseudoTerminal(["stats", "--watch", "--admin", "127.0.0.1:1"])
        #expect(terminal.end() == 1)
        #expect(terminal.output.contains("cannot connect to 127.0.0.1:1") && !terminal.output.contains("\u{1B}"))
    }
}
