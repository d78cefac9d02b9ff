import Logging
import Synchronization

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
