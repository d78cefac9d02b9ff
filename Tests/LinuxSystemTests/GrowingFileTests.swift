import CLinux
import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct GrowingFileTests {
    private let file: GrowingFile

    init() throws {
        let memory = SharedDescriptor(owning: try checked("memfd_create") { unsafe edge_memfd_create("test") })
        file = GrowingFile(memory, expected: nil)
    }

    /// The bytes that the file occupies.
    private func blocks() throws -> Int {
        var status = stat()
        try checked("fstat") { unsafe fstat(file.file.number, &status) }
        return Int(status.st_blocks) * 512
    }

    @Test func `wakes a reader once, when there is more than it has seen`() throws {
        let reader = try #require(file.reader())
        let wakes = Signal(0)
        file.grow(to: 3)
        #expect(reader.progress(beyond: 2) { wakes.update { $0 += 1 } }.count == 3)
        file.grow(to: 4)
        #expect(wakes.value == 0)
        #expect(reader.progress(beyond: 4) { wakes.update { $0 += 1 } }.count == 4)
        file.grow(to: 5)
        file.grow(to: 6)
        #expect(wakes.value == 1)
        _ = reader.progress(beyond: 6) { wakes.update { $0 += 1 } }
        file.end(.complete)
        #expect(wakes.value == 2 && file.progress.end == .complete)
        file.end(.failed)
        #expect(file.progress.end == .complete)
    }

    @Test func `reports that the last reader has left, but not after the end`() throws {
        let abandoned = Signal(0)
        var readers = [file.reader(), file.reader()]
        file.onAbandon { abandoned.update { $0 += 1 } }
        readers.removeFirst()
        #expect(abandoned.value == 0)
        readers.removeAll()
        #expect(abandoned.value == 1)
        file.onAbandon { abandoned.update { $0 += 1 } }
        #expect(abandoned.value == 2)
        file.end(.complete)
        file.onAbandon { abandoned.update { $0 += 1 } }
        #expect(abandoned.value == 2)
    }

    @Test func `tells the end to every observer`() {
        let ends = Signal<[GrowingFile.End]>([])
        file.whenEnded { end in ends.update { $0.append(end) } }
        file.end(.failed)
        file.whenEnded { end in ends.update { $0.append(end) } }
        #expect(ends.value == [.failed, .failed])
    }

    @Test func `forgets what all readers have read, and tells the writer`() throws {
        let slow = try #require(file.reader())
        let fast = try #require(file.reader())
        let size = 1 << 20
        let bytes = [UInt8](repeating: 1, count: size)
        #expect(unsafe bytes.withUnsafeBytes { unsafe write(file.file.number, $0.baseAddress, $0.count) } == size)
        file.grow(to: size)
        let forgotten = Signal(0)
        file.forgetRead { forgotten.update { $0 += 1 } }
        #expect(file.reader() == nil)
        let full = try blocks()
        fast.read(to: size)
        #expect(file.retained == size && forgotten.value == 0)
        slow.read(to: size / 2)
        #expect(file.retained == size / 2 && forgotten.value == 1)
        #expect(try blocks() <= full / 2 + 8192)
        withExtendedLifetime((slow, fast)) {}
    }

    @Test func `a reader delays others only while it keeps bytes from being forgotten, and another one waits`() throws {
        let slow = try #require(file.reader())
        let fast = try #require(file.reader())
        let size = 1 << 20
        file.grow(to: size)
        file.forgetRead {}
        file.stall(at: 1)
        fast.read(to: size)
        #expect(slow.delaysOthersSince == nil)
        _ = fast.progress(beyond: size) {}
        #expect(slow.delaysOthersSince == 1 && fast.delaysOthersSince == nil)
        // Not a whole step.
        slow.read(to: (256 << 10) - 1)
        file.stall(at: 2)
        #expect(slow.delaysOthersSince == 1)
        slow.read(to: 256 << 10)
        #expect(slow.delaysOthersSince == nil)
        file.stall(at: 3)
        #expect(slow.delaysOthersSince == 3)
        file.grow(to: size + 1)
        file.stall(at: 4)
        #expect(slow.delaysOthersSince == nil)
        _ = fast.progress(beyond: size + 1) {}
        #expect(slow.delaysOthersSince == 4)
        _ = slow.progress(beyond: size + 1) {}
        #expect(slow.delaysOthersSince == nil)
    }

    @Test func `only the slowest readers delay others, and nobody does alone`() throws {
        let slow = try #require(file.reader())
        let faster = try #require(file.reader())
        var waiting = file.reader()
        let size = 1 << 20
        file.grow(to: size)
        file.forgetRead {}
        faster.read(to: 256 << 10)
        waiting?.read(to: size)
        _ = waiting?.progress(beyond: size) {}
        file.stall(at: 1)
        #expect(slow.delaysOthersSince == 1 && faster.delaysOthersSince == nil)
        waiting = nil
        #expect(slow.delaysOthersSince == nil)
        file.end(.failed)
        #expect(slow.delaysOthersSince == nil && file.retained == size)
    }

    @Test func `a reader that has been told of the end does not wait for others`() throws {
        let slow = try #require(file.reader())
        let fast = try #require(file.reader())
        let size = 1 << 20
        file.grow(to: size)
        file.forgetRead {}
        fast.read(to: size)
        let wakes = Signal(0)
        _ = fast.progress(beyond: size) { wakes.update { $0 += 1 } }
        file.stall(at: 1)
        #expect(slow.delaysOthersSince == 1)
        file.end(.complete)
        #expect(wakes.value == 1 && slow.delaysOthersSince == nil)
        #expect(fast.progress(beyond: size) {}.end == .complete && slow.delaysOthersSince == nil)
        withExtendedLifetime((slow, fast)) {}
    }

    @Test func `a page that a socket may still send from is not changed`() throws {
        let reader = try #require(file.reader())
        file.forgetRead {}
        // Ends within a page, whose first bytes sendfile(2) has handed to the socket, without copying them.
        let size = (512 << 10) + 100
        let bytes = [UInt8](repeating: 1, count: size)
        #expect(unsafe bytes.withUnsafeBytes { unsafe write(file.file.number, $0.baseAddress, $0.count) } == size)
        file.grow(to: size)
        reader.read(to: size)
        var last = [UInt8](repeating: 0, count: 100)
        #expect(unsafe pread(file.file.number, &last, last.count, off_t(size - 100)) == 100)
        #expect(last.allSatisfy { $0 == 1 } && file.retained == 100)
    }
}
