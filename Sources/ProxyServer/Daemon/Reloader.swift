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
            let loaded = try loader.loadWithOrigins()
            let change = ConfigurationChange(from: parts.live.current, to: loaded.configuration)
            try apply(change, places: loaded.places)
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

    private func apply(
        _ change: ConfigurationChange,
        places: [String: Place]
    ) throws(ConfigurationError) {
        do {
            try parts.apply(LoadedConfiguration(configuration: change.effective, places: places))
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
