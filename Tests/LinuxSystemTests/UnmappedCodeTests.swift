import CLinux
import Glibc
import Testing

@Suite(.timeLimit(.minutes(1)), .serialized)
struct UnmappedCodeTests {
    /// The resident pages that are mapped from files (proc_pid_statm(5)).
    private func filePages() throws -> Int {
        let file = unsafe edge_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0)
        try #require(file >= 0)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(file, &bytes, bytes.count)
        let fields = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        return try #require(fields.count > 2 ? Int(String(decoding: fields[2], as: UTF8.self)) : nil)
    }

    @Test func `code leaves memory, comes back when it runs, and data stays`() throws {
        let written = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let before = try filePages()
        edge_unmap_unused_code()
        let after = try filePages()
        // What this test itself uses has come back.
        #expect(after < before - before / 4, "\(before) \(after)")
        #expect(written.indices.allSatisfy { written[$0] == UInt8(truncatingIfNeeded: $0) })
        #expect((0..<100).map { "\($0)" }.sorted().count == 100)
    }
}
