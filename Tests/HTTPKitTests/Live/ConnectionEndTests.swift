import HTTPKit
import LinuxSystem
import TestSupport
import Testing

/// The ends of connections, for combinations of pipelined requests, late responses and the client's FIN.
///
/// The clock does not move, so no timeout closes anything: a connection that should end but does not stays open, and the
/// client's read fails.
@Suite(.timeLimit(.minutes(1))) struct ConnectionEndTests {
    /// One sequence of events.
    struct Course: CustomTestStringConvertible, Sendable {
        /// For each pipelined request, whether its response comes later.
        var later: [Bool]
        /// When the FIN is sent: before response `end / 2` is given (even) or before it is read (odd), or at the end.
        var end: Int
        /// Whether responses are larger than the socket accepts at once.
        var isLarge: Bool
        /// Whether part of another request follows the complete ones.
        var hasRest: Bool

        var testDescription: String {
            let answers = later.map { $0 ? "later" : "now" }.joined(separator: " ")
            return "\(answers), FIN at \(end)\(isLarge ? ", large" : "")\(hasRest ? ", with a rest" : "")"
        }

        var targets: [String] { later.enumerated().map { "/\($1 ? "later" : "now")\($0)\(isLarge ? "large" : "")" } }

        static func all(_ count: Int, isLarge: Bool) -> [Course] {
            (0..<1 << count).flatMap { bits -> [Course] in
                let later = (0..<count).map { bits >> $0 & 1 == 1 }
                return (0...2 * count).flatMap { end in
                    [false, true].map { Course(later: later, end: end, isLarge: isLarge, hasRest: $0) }
                }
            }
        }
    }

    static let courses = (1...3).flatMap { Course.all($0, isLarge: false) } + Course.all(2, isLarge: true)

    /// A server with one loop for one sequence, and a client that has sent its requests.
    private struct Rig {
        let box = PromiseBox()
        let server: TestServer
        let client: RawHTTPClient

        init(_ course: Course, _ policy: ServerConfiguration.HalfClosePolicy) throws {
            let change: (inout ServerConfiguration) -> Void = { configuration in
                configuration.loops = 1
                configuration.halfClose = policy
                configuration.time = ManualTime()
            }
            server = try TestServer(change) { [box] request, context in
                guard request.target.hasPrefix("/later") else { return .now(ConnectionEndTests.answer(request.target)) }
                box.take(request.target, context)
                return .later
            }
            client = try server.client(receiveBuffer: course.isLarge ? 16 * 1024 : nil)
            let requests = course.targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
            try client.send(requests.joined() + (course.hasRest ? "GET /rest HTT" : ""))
            if course.end == 0 { client.shutdownWrite() }
        }
    }

    private static func answer(_ target: String) -> Response {
        let size = target.hasSuffix("large") ? 1 << 20 : 0
        return Response(status: 200, body: .bytes(Array(target.utf8) + [UInt8](repeating: 0x2E, count: size)))
    }

    @Test(arguments: courses)
    func `responds to everything that a half-closed client has sent, then closes`(_ course: Course) throws {
        let rig = try Rig(course, .answered)
        for (index, target) in course.targets.enumerated() {
            if course.later[index] { try #require(rig.box.taken.wait()) }
            if course.end == 2 * index, index > 0 { rig.client.shutdownWrite() }
            if course.later[index] { rig.box.complete(target, Self.answer(target)) }
            if course.end == 2 * index + 1 { rig.client.shutdownWrite() }
            #expect(try rig.client.readResponse().text.hasPrefix(target))
        }
        if course.end == 2 * course.later.count { rig.client.shutdownWrite() }
        #expect(try rig.client.isAtEnd())
        #expect(eventually { rig.server.server.statistics.openConnections == 0 })
        #expect(rig.server.handler.finished.count == course.later.count)
    }

    @Test(arguments: courses)
    func `closes as soon as a response is due to a client that counts as gone`(_ course: Course) throws {
        let rig = try Rig(course, .gone)
        var isOwed = false
        for (index, target) in course.targets.enumerated() where course.end > 2 * index {
            if course.later[index] {
                try #require(rig.box.taken.wait())
                rig.box.complete(target, Self.answer(target))
            }
            if course.end > 2 * index + 1 { #expect(try rig.client.readResponse().text.hasPrefix(target)) }
        }
        let given = (course.end + 1) / 2
        isOwed = course.later.dropFirst(given).contains(true)
        if course.end > 0 { rig.client.shutdownWrite() }
        // Immediate responses may still arrive, but no late ones.
        let rest = String(decoding: try rig.client.readToEnd(), as: UTF8.self)
        for target in course.targets.dropFirst(given) where target.hasPrefix("/later") {
            #expect(!rest.contains(target))
        }
        if isOwed { #expect(rig.box.cancelled.wait()) }
        #expect(eventually { rig.server.server.statistics.openConnections == 0 })
    }
}
