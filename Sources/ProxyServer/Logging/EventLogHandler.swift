import LinuxSystem
import Logging
import Synchronization

/// Writes events as lines of JSON or text; any thread.
struct EventLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    /// The maximum characters of a message or value in a line.
    private static let limit = 2_048

    private let format: LogFormat
    private let sink: LineSink
    private let time: any TimeSource
    private let level: LogLevelCell
    private let budget: LineBudget
    /// The level of this copy of the handler, if set.
    private var ownLevel: Logger.Level?

    /// Creates a handler that writes to a sink.
    init(format: LogFormat, level: LogLevelCell, sink: LineSink, budget: LineBudget, time: any TimeSource) {
        self.budget = budget
        self.format = format
        self.sink = sink
        self.time = time
        self.level = level
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? level.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let (granted, droppedBefore) = budget.take(1, second: time.wallSeconds)
        if droppedBefore > 0 {
            write(.warning, "event log lines dropped", ["count": "\(droppedBefore)"])
        }
        guard granted > 0 else { return budget.drop() }
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        write(event.level, event.message.description, all)
    }

    private func write(_ level: Logger.Level, _ message: String, _ all: Logger.Metadata) {
        var timestamp = TimestampText()
        timestamp.update(to: time.wallSeconds)
        var line: [UInt8] = []
        let context = all.sorted { $0.key < $1.key }
        switch format {
        case .json: appendJSON(level, message, timestamp, context, to: &line)
        case .text: appendText(level, message, timestamp, context, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        sink.write(line)
    }

    private func appendJSON(
        _ level: Logger.Level,
        _ message: String,
        _ timestamp: TimestampText,
        _ context: [(key: String, value: Logger.Metadata.Value)],
        to line: inout [UInt8]
    ) {
        line += "{\"time\":\"".utf8
        line += timestamp.bytes
        line += "\",\"level\":\"\(level.rawValue)\",\"message\":".utf8
        LogText.appendQuoted(message, limit: EventLogHandler.limit, to: &line)
        for (index, entry) in context.enumerated() {
            line += (index == 0 ? ",\"context\":{" : ",").utf8
            LogText.appendQuoted(entry.key, to: &line)
            line.append(UInt8(ascii: ":"))
            LogText.appendQuoted(entry.value.description, limit: EventLogHandler.limit, to: &line)
        }
        line += (context.isEmpty ? "}" : "}}").utf8
    }

    /// `2026-11-21T00:00:00Z warning: worker ended pid="12" signal="9"`.
    private func appendText(
        _ level: Logger.Level,
        _ message: String,
        _ timestamp: TimestampText,
        _ context: [(key: String, value: Logger.Metadata.Value)],
        to line: inout [UInt8]
    ) {
        line += timestamp.bytes
        line += " \(level.rawValue): ".utf8
        LogText.appendUnquoted(message, limit: EventLogHandler.limit, to: &line)
        for entry in context {
            line.append(UInt8(ascii: " "))
            LogText.appendUnquoted(entry.key, to: &line)
            line.append(UInt8(ascii: "="))
            LogText.appendQuoted(entry.value.description, limit: EventLogHandler.limit, to: &line)
        }
    }
}

extension Logger {
    /// Creates the daemon's event logger without the process-wide logging system.
    static func events(
        _ format: LogFormat,
        level: LogLevelCell,
        sink: LineSink,
        budget: LineBudget,
        time: any TimeSource
    ) -> Logger {
        Logger(label: "edgeprint") { _ in
            EventLogHandler(format: format, level: level, sink: sink, budget: budget, time: time)
        }
    }
}

/// The current log level, which a reload may change; any thread.
final class LogLevelCell: Sendable {
    private let index: Atomic<Int>

    init(_ level: LogLevel) { index = Atomic(LogLevelCell.index(of: level)) }

    /// The current level.
    var level: Logger.Level { Logger.Level.allCases[index.load(ordering: .relaxed)] }

    /// Changes the level.
    func set(_ level: LogLevel) { index.store(LogLevelCell.index(of: level), ordering: .relaxed) }

    private static func index(of level: LogLevel) -> Int {
        let all = Logger.Level.allCases
        return all.firstIndex { $0.rawValue == level.rawValue } ?? all.count - 1
    }
}
