import ImagePlan
import Logging

/// Reads the configuration again when it is told to, and lets the daemon go by it, or says why not (`SIGHUP`).
struct Reloader: Sendable {
    /// How a reload ended.
    enum Outcome: Sendable, Equatable {
        case applied(ConfigurationChange)
        /// The old configuration counts on.
        case refused(ConfigurationError)
    }

    let loader: ConfigurationLoader
    let parts: DaemonParts

    /// Loads and applies; blocks for as long as reading the files takes, so never on an event loop.
    @discardableResult
    func reload() -> Outcome {
        do throws(ConfigurationError) {
            let change = ConfigurationChange(from: parts.live.current, to: try loader.load())
            try apply(change)
            report(change)
            parts.metrics.reloads.add(1, .applied)
            return .applied(change)
        } catch {
            for problem in error.problems {
                parts.logger.error("configuration refused", metadata: ["problem": "\(problem)"])
            }
            parts.logger.error("the old configuration serves on", metadata: ["problems": "\(error.problems.count)"])
            parts.metrics.reloads.add(1, .refused)
            return .refused(error)
        }
    }

    private func apply(_ change: ConfigurationChange) throws(ConfigurationError) {
        do {
            try parts.apply(change.effective)
        } catch {
            let problem = ConfigurationProblem(place: nil, key: "presets", message: error.description)
            throw ConfigurationError(problems: [problem])
        }
    }

    private func report(_ change: ConfigurationChange) {
        let applied = change.applied.isEmpty ? "nothing" : change.applied.joined(separator: ", ")
        parts.logger.notice("configuration reloaded", metadata: ["changed": "\(applied)"])
        guard !change.needingRestart.isEmpty else { return }
        let keys = change.needingRestart.joined(separator: ", ")
        parts.logger.warning("changed keys count after a restart", metadata: ["keys": "\(keys)"])
    }
}
