import ImagePipeline
import ImagePlan
import LinuxSystem

/// Protects the daemon's memory, descriptors and environment from other processes of its user, above all from its workers.
struct DaemonHardening {
    /// The variables that the process was started with; they are no longer in its environment.
    let environment: [String: Secret]
    /// Why inspection could not be forbidden.
    private let failure: Errno?
    private let wasInspectable: Bool

    /// Protects the process before it reads any secret from a file.
    ///
    /// Call it first: before any other thread exists, and before secrets are read.
    init() {
        environment = ProcessEnvironment.take()
        wasInspectable = ProcessInspection.isAllowed
        do throws(Errno) {
            try ProcessInspection.setAllowed(false)
            failure = nil
        } catch {
            failure = error
        }
    }

    /// Applies `workers.sandbox`: `off` allows inspection again, and `require` demands that it is forbidden.
    ///
    /// - Throws: a problem of that key.
    func apply(_ loaded: LoadedConfiguration) throws(ConfigurationProblem) {
        switch loaded.configuration.workers.sandbox {
        case .best: break
        case .off:
            if wasInspectable { try? ProcessInspection.setAllowed(true) }
        case .require:
            guard let failure else { return }
            throw ConfigurationProblem(
                place: loaded.places["workers.sandbox"],
                key: "workers.sandbox",
                message: "other processes of this user can read the daemon's memory (\(failure)); "
                    + "permit prctl(PR_SET_DUMPABLE), or set best"
            )
        }
    }
}
