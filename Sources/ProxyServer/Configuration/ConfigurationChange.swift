import ImagePipeline
import LinuxSystem

/// The difference between two configurations: what a running daemon can apply, and what needs a restart.
struct ConfigurationChange: Sendable, Equatable {
    /// The configuration to apply: the new one, with the old values of keys that need a restart.
    let effective: Configuration
    /// The changed keys that are applied, in the schema's order.
    let applied: [String]
    /// The changed keys that need a restart.
    let needingRestart: [String]

    /// Compares all keys, including secrets, whose values are never shown.
    init(from old: Configuration, to new: Configuration) {
        var effective = new
        var applied: [String] = []
        var needingRestart: [String] = []
        for setting in ConfigurationSchema.root.settings where setting.differs(old, new) {
            if setting.needsRestart {
                setting.copy(old, &effective)
                needingRestart.append(setting.name)
            } else {
                applied.append(setting.name)
            }
        }
        // The listener keeps its address until a restart and must not lose its token there.
        if effective.admin.token.isEmpty, !effective.admin.listen.allSatisfy(ConfigurationChecks.isLocal) {
            effective.admin.token = old.admin.token
            applied.removeAll { $0 == "admin.token" }
            needingRestart.append("admin.token")
        }
        self.effective = effective
        self.applied = applied
        self.needingRestart = needingRestart
    }
}

/// The current configuration of a running daemon, which a reload replaces atomically; any thread.
///
/// For parts that rarely read it. The hot path is given its settings when they change.
final class LiveConfiguration: Sendable {
    private let state: Lock<LoadedConfiguration>

    init(_ loaded: LoadedConfiguration) { state = Lock(loaded) }

    /// The current configuration with the places of its values.
    var loaded: LoadedConfiguration {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The current configuration.
    var current: Configuration { state.withLock { $0.configuration } }
}
