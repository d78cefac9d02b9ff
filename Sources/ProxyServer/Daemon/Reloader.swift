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
            try checkFile(loaded)
            try checkSockets(loaded.configuration)
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

    /// Refuses the defaults in place of a file that is away for the moment.
    private func checkFile(_ loaded: LoadedConfiguration) throws(ConfigurationError) {
        guard parts.live.loaded.comesFromFile, !loaded.comesFromFile else { return }
        let problem = ConfigurationProblem(place: nil, key: "", message: "the configuration file is gone")
        throw ConfigurationError(problems: [problem])
    }

    /// Refuses to take the token from an admin listener that the service manager has opened beyond this machine.
    private func checkSockets(_ configuration: Configuration) throws(ConfigurationError) {
        do throws(ActivatedSockets.UnusableSocket) {
            try parts.sockets.check(token: configuration.admin.token)
        } catch {
            let problem = ConfigurationProblem(place: nil, key: "admin.token", message: error.reason)
            throw ConfigurationError(problems: [problem])
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
