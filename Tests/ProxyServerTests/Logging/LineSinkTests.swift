import Glibc
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct LineSinkTests {
    private func line(_ number: Int, length: Int = 100) -> [UInt8] {
        let name = Array("\(number) ".utf8)
        return name + [UInt8](repeating: UInt8(ascii: "x"), count: length - name.count - 1) + [UInt8(ascii: "\n")]
    }

    @Test(arguments: [DescriptorPair.Kind.pipe, .socket])
    func `writes lines immediately`(kind: DescriptorPair.Kind) throws {
        let pair = try DescriptorPair(kind)
        let sink = LineSink(descriptor: pair.writing)
        sink.write(Array("one\ntwo\n".utf8))
        sink.write([])
        sink.write(Array("three\n".utf8))
        #expect(pair.readText() == "one\ntwo\nthree\n")
        #expect(sink.flush())
        #expect(sink.dropped == 0)
    }

    @Test(arguments: [DescriptorPair.Kind.pipe, .socket])
    func `keeps lines whole and in order for a slow reader`(kind: DescriptorPair.Kind) throws {
        let pair = try DescriptorPair(kind)
        let sink = LineSink(descriptor: pair.writing, pendingLimit: 16 << 20)
        let lines = (0..<6_000).map { line($0) }
        for start in stride(from: 0, to: lines.count, by: 50) { sink.write(Array(lines[start..<start + 50].joined())) }
        #expect(!sink.flush())
        var received: [UInt8] = []
        while received.count < 600_000 {
            let more = pair.readAvailable()
            received += more
            if more.isEmpty, sink.flush() { break }
            sink.flush()
        }
        #expect(received == Array(lines.joined()))
        #expect(sink.dropped == 0)
    }

    @Test(arguments: [DescriptorPair.Kind.pipe, .socket])
    func `drops and counts whole lines without a reader`(kind: DescriptorPair.Kind) throws {
        let pair = try DescriptorPair(kind)
        let sink = LineSink(descriptor: pair.writing, pendingLimit: 10_000)
        for number in 0..<5_000 { sink.write(line(number) + line(number)) }
        #expect(sink.dropped > 0)
        var received: [UInt8] = []
        repeat { received += pair.readAvailable() } while !sink.flush()
        received += pair.readAvailable()
        let lines = received.split(separator: UInt8(ascii: "\n"))
        #expect(lines.allSatisfy { $0.count == 99 && $0.last == UInt8(ascii: "x") })
        #expect(UInt64(lines.count) + sink.dropped == 10_000)
    }

    @Test func `writes a line longer than a pipe's atomic write`() throws {
        let pair = try DescriptorPair(.pipe)
        let sink = LineSink(descriptor: pair.writing)
        let long = line(1, length: 50_000)
        sink.write(long + line(2))
        #expect(pair.readAvailable() == long + line(2))
    }

    @Test func `writes to files`() throws {
        let file = try unsafe #require(unsafe tmpfile())
        defer { unsafe fclose(file) }
        let descriptor = unsafe fileno(file)
        let sink = LineSink(descriptor: descriptor)
        sink.write(Array("one\n".utf8))
        sink.write(Array("two\n".utf8))
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "one\ntwo\n")
    }

    @Test func `counts lines lost on a closed descriptor`() {
        let sink = LineSink(descriptor: 1 << 20)
        sink.write(Array("one\ntwo\n".utf8))
        #expect(sink.dropped == 2)
    }
}
