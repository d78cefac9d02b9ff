import CLinux
import Foundation
import Glibc
import LinuxSystem
import TestSupport

/// A copy of the daemon whose workers pass a gate before they start, so that a test can make transforms queue up.
///
/// While the gate is closed, the workers that run are stopped, and no other one starts.
final class GatedWorkers: Sendable {
    /// The daemon's path.
    let binary: String
    private let folder: String
    private let gate: CInt

    /// Creates the copy in a folder, with an open gate.
    init(in folder: TemporaryFolder) throws {
        self.folder = folder.path
        binary = folder.path + "/edgeprint"
        let (fifo, worker) = (folder.path + "/gate", folder.path + "/edgeprint-worker")
        try FileManager.default.copyItem(atPath: DaemonProcess.buildFolder + "/edgeprint", toPath: binary)
        try checked("mkfifo") { unsafe mkfifo(fifo, 0o600) }
        gate = try checked("open") { unsafe edge_open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0) }
        let script = """
            #!/bin/sh
            echo $$ >> '\(folder.path)/workers'
            read line < '\(fifo)'
            exec '\(DaemonProcess.buildFolder)/edgeprint-worker' "$@"

            """
        try Data(script.utf8).write(to: URL(filePath: worker))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: worker)
        admit()
    }

    deinit { Glibc.close(gate) }

    /// Stops the workers, and lets no other one start.
    func close() {
        var lines = [UInt8](repeating: 0, count: 4096)
        while unsafe read(gate, &lines, lines.count) > 0 {}
        signal(SIGSTOP)
    }

    /// Lets the workers run again.
    func open() {
        admit()
        signal(SIGCONT)
    }

    private func admit() {
        let lines = [UInt8](repeating: 0x0A, count: 256)
        _ = unsafe write(gate, lines, lines.count)
    }

    /// Sends a signal to the workers that have passed the gate.
    private func signal(_ number: CInt) {
        let text = (try? String(contentsOfFile: folder + "/workers", encoding: .utf8)) ?? ""
        for pid in text.split(separator: "\n").compactMap({ pid_t($0) }) {
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
            if program?.hasSuffix("/edgeprint-worker") == true { kill(pid, number) }
        }
    }
}
