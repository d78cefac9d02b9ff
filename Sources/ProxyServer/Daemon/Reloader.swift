import ImagePlan
import Logging

/// Reloads the configuration (`SIGHUP`) and applies it, or logs why it is rejected.
struct Reloader: Sendable {
    /// The result of a reload.
    enum Outcome: Sendable, Equatable {
        case applied(ConfigurationChange)
        /// The old configuration stays in force.
        case refused(ConfigurationError)
    }

    let loader: ConfigurationLoader
    let parts: DaemonParts

    /// Loads and applies the configuration; blocks while it reads files, though not for pipes, so it must not be called on an event loop.
    @discardableResult
    func reload() -> Outcome {
        do throws(ConfigurationError) {
            let loaded = try loader.forReload.loadWithOrigins()
            try checkFile(loaded)
            try checkSockets(loaded.configuration)
            let change = ConfigurationChange(from: parts.live.current, to: loaded.configuration)
            try apply(change, places: loaded.places)
            report(change)
            parts.metrics.reloads.add(1, .applied)
            return .applied(change)
        } catch {
            for problem in error.problems {
                parts.logger.error("configuration rejected", metadata: ["problem": "\(problem)"])
            }
            parts.logger.error(
                "the old configuration stays in force",
                metadata: ["problems": "\(error.problems.count)"]
            )
            parts.metrics.reloads.add(1, .refused)
            return .refused(error)
        }
    }

    /// Rejects a reload if the file has disappeared or is empty, for example while an editor writes it, instead of applying defaults.
    private func checkFile(_ loaded: LoadedConfiguration) throws(ConfigurationError) {
        guard parts.live.loaded.comesFromFile, !loaded.comesFromFile else { return }
        let message =
            loaded.hasFile
            ? "the configuration file sets nothing any more; restart the daemon for the defaults"
            : "the configuration file has disappeared"
        let problem = ConfigurationProblem(place: nil, key: "", message: message)
        throw ConfigurationError(problems: [problem])
    }

    /// Rejects a reload that removes the token while the admin socket is reachable from other machines.
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
        parts.logger.warning("changed keys need a restart", metadata: ["keys": "\(keys)"])
    }
}
