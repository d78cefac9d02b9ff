import Glibc
import LinuxSystem
import TestSupport

/// A daemon's standard error, read on its own thread so that the daemon never blocks.
final class DaemonLog: Sendable {
    let writeEnd: CInt
    private let state = Signal((text: "", ended: false))

    init() throws(Errno) {
        var ends: [CInt] = [0, 0]
        try checked("pipe") { unsafe pipe(&ends) }
        writeEnd = ends[1]
        let readEnd = SharedDescriptor(owning: ends[0])
        try SystemThread.start(name: "daemon log") { [state] in
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = unsafe read(readEnd.number, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                let part = String(decoding: buffer[0..<count], as: UTF8.self)
                state.update { $0.text += part }
            }
            state.update { $0.ended = true }
        }
    }

    /// Closes the writing end; call it when the child has its copy.
    func closeWriteEnd() { close(writeEnd) }

    var text: String { state.value.text }

    /// Blocks until the log contains a text a number of times, or the process has ended.
    func wait(for part: String, times: Int) throws {
        _ = try state.wait { $0.ended || $0.text.ranges(of: part).count >= times }
    }

    /// Waits for the event `listening` of a listener and returns its port; `nil` if the process ends without it.
    func port(of listener: String) -> UInt16? {
        guard let found = try? state.wait(until: { $0.ended || Self.port(of: listener, in: $0.text) != nil }) else {
            return nil
        }
        return Self.port(of: listener, in: found.text)
    }

    private static func port(of listener: String, in text: String) -> UInt16? {
        for line in text.split(separator: "\n") where line.contains("listening") && line.contains("\"\(listener)\"") {
            guard let start = line.firstRange(of: "127.")?.lowerBound else { continue }
            let address = line[start...].prefix { $0.isNumber || $0 == "." || $0 == ":" }
            return address.split(separator: ":").last.flatMap { UInt16($0) }
        }
        return nil
    }
}
