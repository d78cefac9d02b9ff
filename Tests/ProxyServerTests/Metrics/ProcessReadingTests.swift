import Glibc
import LinuxSystem
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ProcessReadingTests {
    @Test func `parses a line of proc, whatever the process is called`() {
        let line =
            "12 (a b) c) S 1 12 12 0 -1 4194304 1 0 0 0 250 50 0 0 20 0 7 0 4711 123456789 321 18446744073709551615 1\n"
        let fields = ProcessReading.Fields(line)
        #expect(fields.threads == 7 && fields.startTicks == 4_711)
        #expect(fields.virtualBytes == 123_456_789 && fields.residentPages == 321)
        #expect(ProcessReading.Fields("12 (a) S 1") == ProcessReading.Fields(""))
    }

    @Test func `reads this process`() throws {
        let first = ProcessReading()
        #expect(first.residentBytes > 1 << 20 && first.virtualBytes >= first.residentBytes)
        #expect(first.threads >= 1 && first.processorSeconds > 0)
        let maximum = try #require(first.maximumFiles)
        #expect((3...maximum).contains(first.openFiles))
        let now = Double(SystemTime().wallSeconds)
        #expect(first.start < now + 1 && first.start > now - 86_400)
        #expect(ProcessReading().start == first.start)
        #expect(ProcessReading().processorSeconds >= first.processorSeconds)
    }

    @Test func `counts descriptors as they are opened`() throws {
        let before = ProcessReading().openFiles
        let files = try (0..<50).map { _ in try checked("dup") { dup(0) } }
        #expect(ProcessReading().openFiles >= before + 40)
        for file in files { close(file) }
    }

    @Test func `measures free space apart from its readers, one measurement at a time`() {
        let measured = Lock([5, 6, 7])
        let waiting = Lock<[@Sendable () -> Void]>([])
        let space = FreeSpace(measure: { measured.withLock { $0.removeFirst() } }) { work in
            waiting.withLock { $0.append(work) }
            return true
        }
        #expect(space.bytes == 5 && space.bytes == 5)
        #expect(waiting.withLock { $0.count } == 1)
        waiting.withLock { $0.removeFirst() }()
        #expect(space.bytes == 6)
        waiting.withLock { $0.removeFirst() }()
        #expect(space.bytes == 7)
    }

    @Test func `keeps the last value if nothing can measure`() {
        let space = FreeSpace(measure: { 5 }) { _ in false }
        #expect(space.bytes == 5 && space.bytes == 5)
    }
}
