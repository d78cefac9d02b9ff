import Glibc
import HTTPKit
import LinuxSystem
import TestSupport
import Testing

/// What needs a process to itself.
@Suite(.timeLimit(.minutes(1))) struct ResourceTests {
    @Test func `keeps an idle connection in less than 4 kB`() async {
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

    @Test func `waits, and does not spin, while it is out of descriptors`() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer({ $0.loops = 1 })
            guard ResourceTests.leaveDescriptors(21) else { exit(1) }
            // Ten pairs of sockets, and one more client: for its server side nothing is left.
            var clients: [RawHTTPClient] = []
            for _ in 0..<10 {
                clients.append(try server.client())
                guard try clients[clients.count - 1].get("/in").text == "/in" else { exit(2) }
            }
            let waiting = try server.client()
            try waiting.send("GET /waited HTTP/1.1\r\nHost: a\r\n\r\n")
            guard server.server.statistics.accepted == 10 else { exit(3) }
            clients.removeLast()
            guard try waiting.readResponse().text == "/waited" else { exit(4) }
        }
    }

    /// Takes all descriptors of this process but some, whatever is open already.
    static func leaveDescriptors(_ count: Int) -> Bool {
        var limit = rlimit(rlim_cur: 256, rlim_max: 256)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        var taken: [CInt] = []
        while true {
            let descriptor = dup(0)
            if descriptor < 0 { break }
            taken.append(descriptor)
        }
        guard errno == EMFILE, taken.count >= count else { return false }
        for descriptor in taken.suffix(count) { close(descriptor) }
        return true
    }

    /// A client whose connection has served one request, and that holds no buffer itself.
    static func idleClient(_ server: TestServer) throws -> RawHTTPClient {
        let client = try server.client()
        try client.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n")
        var sink = [UInt8](repeating: 0, count: 1024)
        guard unsafe recv(client.descriptor, &sink, sink.count, 0) > 0 else { throw Errno.current("recv") }
        return client
    }

    /// Anonymous resident memory of this process.
    static func residentBytes() throws -> Int {
        let descriptor = try checked("open") { unsafe open("/proc/self/statm", O_RDONLY) }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = try checked("read") { unsafe read(descriptor, &text, text.count) }
        let words = String(decoding: text[..<count], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        return (words[1] - words[2]) * 4096
    }
}
