import LinuxSystem
import Logging

/// An event log that remembers its lines.
final class RecordedLog: Sendable {
    private let texts = Lock<[String]>([])

    /// Level, message and metadata of each line.
    var lines: [String] { texts.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { [self] _ in Handler(record: self) } }

    private struct Handler: LogHandler {
        let record: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let own = event.metadata ?? [:]
            let pairs = own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let line = (["\(event.level):", "\(event.message)"] + pairs).joined(separator: " ")
            record.texts.withLock { $0.append(line) }
        }
    }
}
