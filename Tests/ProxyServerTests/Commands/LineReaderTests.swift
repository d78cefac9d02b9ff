import Glibc
import LinuxSystem
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct LineReaderTests {
    /// Reads a text through a pipe.
    private func lines(of text: String, bound: Int = 100, chunk: Int) throws -> [LineReader.Line] {
        var ends: [CInt] = [0, 0]
        try checked("pipe") { unsafe pipe(&ends) }
        let readEnd = SharedDescriptor(owning: ends[0])
        let bytes = Array(text.utf8)
        try checked("write") { unsafe write(ends[1], bytes, bytes.count) }
        close(ends[1])
        var reader = LineReader(descriptor: readEnd.number, bound: bound, chunk: chunk)
        var lines: [LineReader.Line] = []
        while let line = reader.next() { lines.append(line) }
        return lines
    }

    @Test(arguments: [1, 2, 3, 7, 4096])
    func `splits at line feeds, wherever the reads end`(_ chunk: Int) throws {
        func texts(_ text: String) throws -> [String] {
            try lines(of: text, chunk: chunk).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        #expect(try texts("") == [])
        #expect(try texts("\n") == [""])
        #expect(try texts("a") == ["a"])
        #expect(try texts("ab\ncd\n") == ["ab", "cd"])
        #expect(try texts("ab\n\ncd") == ["ab", "", "cd"])
        #expect(try texts("a\r\nb") == ["a\r", "b"])
    }

    @Test(arguments: [1, 2, 5, 4096])
    func `truncates a long line and continues after it`(_ chunk: Int) throws {
        let lines = try lines(of: "abcd\nabcde\nx\n", bound: 4, chunk: chunk)
        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["abcd", "abcd", "x"])
        #expect(lines.map(\.isCut) == [false, true, false])
    }

    @Test func `returns a line before the next one is written`() throws {
        var ends: [CInt] = [0, 0]
        try checked("pipe") { unsafe pipe(&ends) }
        let readEnd = SharedDescriptor(owning: ends[0])
        defer { close(ends[1]) }
        try checked("write") { unsafe write(ends[1], "a\nb", 3) }
        var reader = LineReader(descriptor: readEnd.number, bound: 10)
        let first = reader.next()
        let hasMore = !reader.isEmpty
        #expect(first?.bytes == [97] && hasMore)
        try checked("write") { unsafe write(ends[1], "c\n", 2) }
        let second = reader.next()
        let isEmpty = reader.isEmpty
        #expect(second?.bytes == [98, 99] && isEmpty)
    }
}
