import Foundation
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ProgressTests {
    @Test func `counts bytes in units, and shows no bar without a total`() {
        let time = ManualTime()
        var meter = ProgressMeter(isTerminal: true, unit: .bytes, time: time)
        #expect(meter.clear.isEmpty)
        #expect(meter.text(0, of: 4 << 20).hasSuffix("] 0 % 0 B of 4 MiB\u{1B}[K"))
        time.advance(seconds: 2)
        let half = meter.text(2 << 20, of: 4 << 20, notes: ["9 lines"])
        #expect(half == "\r[###############...............] 50 % 2 MiB of 4 MiB, 9 lines, 1 MiB/s, 2s left\u{1B}[K")
        #expect(meter.text(3 << 20, of: nil) == "\r3 MiB, 1.5 MiB/s\u{1B}[K")
        #expect(meter.clear == "\r\u{1B}[K")
    }

    @Test func `a count beyond the total fills the bar`() {
        var meter = ProgressMeter(isTerminal: true, time: ManualTime())
        #expect(meter.text(11, of: 10).hasPrefix("\r[##############################] 100 % 11 of 10"))
        #expect(meter.text(0, of: 0).contains("100 %"))
    }

    @Test func `long commands show a bar on a terminal, and remove it before their result`() throws {
        let folder = try TemporaryFolder()
        let log = folder.path + "/access.log"
        let line = "{\"target\":\"/p/a.jpg\",\"status\":200,\"bytes\":1000}\n"
        try String(repeating: line, count: 50_000).write(toFile: log, atomically: false, encoding: .utf8)
        let terminal = try PseudoTerminal(["simulate", "--log", log, "--cache", "2MiB"])
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains("] ") && terminal.output.contains(" lines"), "\(terminal.output)")
        let result = terminal.output.components(separatedBy: "\r\u{1B}[K").last ?? ""
        #expect(result.hasPrefix(log) && result.contains("50000 lines"), "\(terminal.output)")
        let doctor = try PseudoTerminal(["doctor", "--config", folder.path + "/none.yaml"])
        #expect(doctor.end() == 1)
        #expect(doctor.output.contains("\r[") && doctor.output.contains("there is no such file"))
    }

    @Test func `purges of several URLs are counted`() throws {
        let picture = TestImages.gradient(width: 16, height: 12)
        let rig = try EndToEndRig { _, connection in connection.respond("200 OK", [], body: picture) }
        let admin = ["--admin", "127.0.0.1:\(rig.daemon.admin)"]
        let terminal = try PseudoTerminal(["purge", "/photos/a.png", "/photos/b.png"] + admin)
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains("50 % 1 of 2, purging /photos/b.png"), "\(terminal.output)")
        let plain = try CommandRun(["purge", "/photos/a.png", "/photos/b.png"] + admin)
        #expect(plain.errors.isEmpty && plain.output.split(separator: "\n").count == 2, "\(plain)")
    }

    @Test func `an upload shows how much was read`() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/a.png"
        let picture = TestImages.gradient(width: 64, height: 48)
        try Data(picture).write(to: URL(filePath: file))
        let descriptor = unsafe open(file, O_RDONLY)
        defer { close(descriptor) }
        #expect(ProgressLine.length(of: descriptor) == picture.count)
        let ends = Pipe()
        #expect(ProgressLine.length(of: ends.fileHandleForReading.fileDescriptor) == nil)
        let rig = try EndToEndRig { _, connection in connection.respond("200 OK", [], body: picture) }
        let admin = ["--admin", "127.0.0.1:\(rig.daemon.admin)"]
        let terminal = try PseudoTerminal(["put", "/photos/a.png", file] + admin)
        #expect(terminal.end() == 0)
        #expect(terminal.output.hasSuffix("/photos/a.png: stored\r\n"), "\(terminal.output)")
    }

    @Test func `warm shows how much of its list was read, and then how many targets are done`() throws {
        let picture = TestImages.gradient(width: 16, height: 12)
        let isFree = Signal(false)
        defer { isFree.update { $0 = true } }
        let rig = try EndToEndRig { _, connection in
            _ = try? isFree.wait { $0 }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        let list = rig.folder.path + "/urls.txt"
        try "/photos/a.png\n/photos/b.png\n".write(toFile: list, atomically: false, encoding: .utf8)
        let terminal = try PseudoTerminal(
            ["warm", "-f", list, "--config", rig.daemon.configurationFile, "--admin", "127.0.0.1:\(rig.daemon.admin)"]
        )
        try terminal.wait(for: "0 % 0 of 2")
        isFree.update { $0 = true }
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains("14 B of 28 B, 1 line"), "\(terminal.output)")
        #expect(terminal.output.hasSuffix("2 done, 0 skipped, 0 failed of 2 targets\r\n"), "\(terminal.output)")
    }

    @Test func `has and fsck count what they have looked at`() throws {
        let picture = TestImages.gradient(width: 16, height: 12)
        let rig = try EndToEndRig { _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        #expect(try rig.get("/photos/a.png").status == 200)
        let admin = ["--admin", "127.0.0.1:\(rig.daemon.admin)"]
        let has = try PseudoTerminal(["has", "/photos/a.png", "/photos/b.png"] + admin)
        #expect(has.end() == 1)
        #expect(has.output.contains("] 50 % 1 of 2"), "\(has.output)")
        #expect(has.output.hasSuffix("/photos/b.png: not stored\r\n"), "\(has.output)")
        rig.daemon.signal(SIGTERM)
        #expect(rig.daemon.waitForExit() == 0)
        let fsck = try PseudoTerminal(["fsck", "--cache-path", rig.folder.path + "/cache"])
        #expect(fsck.end() == 0)
        #expect(fsck.output.contains("of 1, bodies of "), "\(fsck.output)")
        #expect(fsck.output.hasSuffix("sound\r\n"), "\(fsck.output)")
    }
}
