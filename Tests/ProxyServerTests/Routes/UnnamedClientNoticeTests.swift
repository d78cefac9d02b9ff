import LinuxSystem
import Logging
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct UnnamedClientNoticeTests {
    /// Records messages.
    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.texts.withLock { $0.append("\(event.message)") } }
    }

    private final class Lines: Sendable {
        let texts = Lock<[String]>([])
    }

    @Test func `warns of the first request, and then once an hour`() {
        let lines = Lines()
        let notice = UnnamedClientNotice(logger: Logger(label: "test") { _ in Recorder(lines: lines) })
        let hour: Int64 = 3_600_000_000_000
        for now in [5, 6, hour, hour + 5, hour + 6] { notice.tell(now: now) }
        #expect(lines.texts.withLock(\.count) == 2)
        #expect(lines.texts.withLock { $0.allSatisfy { $0.contains("share one account") } })
    }
}
