import Glibc
import HTTPKit
import LinuxSystem
import TestSupport
import Testing

/// Tests that need their own process.
@Suite(.timeLimit(.minutes(1))) struct ResourceTests {
    @Test func `an idle connection takes less than 4 kB`() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer(wantsCompletions: false)
            var clients: [RawHTTPClient] = []
            for _ in 0..<200 { clients.append(try ResourceTests.idleClient(server)) }
            let before = try ResourceTests.residentBytes()
            for _ in 0..<1000 { clients.append(try ResourceTests.idleClient(server)) }
            let perConnection = (try ResourceTests.residentBytes() - before) / 1000
            #expect(server.server.statistics.openConnections == 1200)
            #expect(perConnection < 4096)
            if perConnection >= 4096 || server.server.statistics.openConnections != 1200 { exit(1) }
        }
    }

    @Test func `waits without spinning while out of descriptors`() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer({ $0.loops = 1 })
            var spare = ResourceTests.leaveDescriptors(21)
            var clients: [RawHTTPClient] = []
            var waiting: RawHTTPClient?
            while waiting == nil {
                guard let client = try? server.client(timeoutMilliseconds: 500) else {
                    // An even number of descriptors is left: with one more, the server's side gets none.
                    guard let last = spare.popLast() else { exit(1) }
                    close(last)
                    continue
                }
                try client.send("GET /in HTTP/1.1\r\nHost: a\r\n\r\n")
                let before = clock()
                if (try? client.readResponse()) != nil {
                    clients.append(client)
                } else {
                    waiting = client
                    // Half a second has passed, and the whole process has used less than half of it.
                    if clock() - before > CLOCKS_PER_SEC / 4 { exit(2) }
                }
            }
            guard clients.count >= 5, server.server.statistics.accepted == clients.count else { exit(3) }
            clients.removeLast()
            guard try waiting?.readResponse().text == "/in" else { exit(4) }
        }
    }

    @Test func `accepts a connection at once if other descriptors can be closed`() async {
        await #expect(processExitsWith: .success) {
            let relief = DescriptorRelief()
            let server = try TestServer({
                $0.loops = 1
                $0.relief = relief
            })
            let spare = Lock(ResourceTests.leaveDescriptors(21))
            let calls = Lock(0)
            relief.set {
                calls.withLock { $0 += 1 }
                return spare.withLock { spare in
                    for descriptor in spare.suffix(6) { close(descriptor) }
                    spare.removeLast(6)
                    return 6
                }
            }
            var clients: [RawHTTPClient] = []
            while calls.withLock({ $0 }) == 0 {
                guard let client = try? server.client() else {
                    // An even number of descriptors is left: with one more, the server's side gets none.
                    guard let last = spare.withLock({ $0.popLast() }) else { exit(1) }
                    close(last)
                    continue
                }
                try client.send("GET /in HTTP/1.1\r\nHost: a\r\n\r\n")
                guard try client.readResponse().text == "/in" else { exit(2) }
                clients.append(client)
            }
            guard clients.count >= 5, server.server.statistics.accepted == clients.count else { exit(3) }
        }
    }

    /// Occupies all descriptors of this process but `count`.
    ///
    /// - Returns: the occupied descriptors.
    static func leaveDescriptors(_ count: Int) -> [CInt] {
        var limit = rlimit(rlim_cur: 256, rlim_max: 256)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return [] }
        var taken: [CInt] = []
        while true {
            let descriptor = dup(0)
            if descriptor < 0 { break }
            taken.append(descriptor)
        }
        for descriptor in taken.suffix(count) { close(descriptor) }
        return taken.dropLast(count)
    }

    /// A client whose connection has served one request; it has no buffer itself.
    static func idleClient(_ server: TestServer) throws -> RawHTTPClient {
        let client = try server.client()
        try client.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n")
        var sink = [UInt8](repeating: 0, count: 1024)
        guard unsafe recv(client.descriptor, &sink, sink.count, 0) > 0 else { throw Errno.current("recv") }
        return client
    }

    /// The anonymous resident memory of this process.
    static func residentBytes() throws -> Int {
        let descriptor = try checked("open") { unsafe open("/proc/self/statm", O_RDONLY) }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = try checked("read") { unsafe read(descriptor, &text, text.count) }
        let words = String(decoding: text[..<count], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        return (words[1] - words[2]) * 4096
    }
}
