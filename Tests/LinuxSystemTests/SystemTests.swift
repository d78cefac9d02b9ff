import CLinux
import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SystemTests {
    @Test func `a failed call throws its error number and name`() {
        let error = #expect(throws: Errno.self) { try checked("close") { close(-1) } }
        #expect(error?.code == EBADF)
        #expect(error?.call == "close")
        #expect(error?.description.hasPrefix("close: ") == true)
    }

    @Test func `would-block is nil for non-blocking calls and an error for blocking ones`() throws {
        var ends: [CInt] = [0, 0]
        try checked("pipe") { unsafe pipe(&ends) }
        try checked("fcntl") { edge_set_nonblocking(ends[0]) }
        let (readEnd, writeEnd) = (SharedDescriptor(owning: ends[0]), SharedDescriptor(owning: ends[1]))
        var byte: UInt8 = 0
        #expect(try retrying("read") { unsafe read(readEnd.number, &byte, 1) } == nil)
        let error = #expect(throws: Errno.self) { try checked("read") { unsafe read(readEnd.number, &byte, 1) } }
        #expect(error?.code == EAGAIN)
        #expect(try checked("write") { unsafe write(writeEnd.number, &byte, 1) } == 1)
    }

    @Test func `a shared descriptor closes with its last owner`() throws {
        var ends: [CInt] = [0, 0]
        try checked("pipe") { unsafe pipe(&ends) }
        let readEnd = SharedDescriptor(owning: ends[0])
        var writeEnd: SharedDescriptor? = SharedDescriptor(owning: ends[1])
        let second = writeEnd
        writeEnd = nil
        var byte: UInt8 = 7
        let number = try #require(second).number
        #expect(try checked("write") { unsafe write(number, &byte, 1) } == 1)
        #expect(try checked("read") { unsafe read(readEnd.number, &byte, 1) } == 1)
        #expect(byte == 7)
    }

    @Test func `a thread runs its body once, under its name`() throws {
        let name = Signal<String?>(nil)
        try SystemThread.start(name: "a name of more than fifteen bytes") {
            var buffer = [UInt8](repeating: 0, count: 64)
            let file = SharedDescriptor(owning: unsafe edge_open("/proc/thread-self/comm", O_RDONLY, 0))
            let count = unsafe read(file.number, &buffer, buffer.count)
            let text = String(decoding: buffer.prefix(max(0, count - 1)), as: UTF8.self)
            name.update { $0 = text }
        }
        #expect(try name.wait { $0 != nil } == "a name of more ")
    }

    @Test func `a lock lets one thread in at a time`() throws {
        let count = SharedCount()
        let done = Signal(0)
        for index in 0..<8 {
            try SystemThread.start(name: "count \(index)") {
                for _ in 0..<1000 { count.value.withLock { $0 += 1 } }
                done.update { $0 += 1 }
            }
        }
        try done.wait { $0 == 8 }
        #expect(count.value.withLock { $0 } == 8000)
    }

    @Test func `monotonic time does not go backwards`() {
        let time = SystemTime()
        let (first, second) = (time.monotonic, time.monotonic)
        #expect(first <= second)
        #expect(time.wallSeconds > 1_700_000_000)
    }
}

/// A number shared by threads.
private final class SharedCount: Sendable {
    let value = Lock(0)
}
