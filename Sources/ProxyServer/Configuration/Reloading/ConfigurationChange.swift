import ImagePipeline
import LinuxSystem

/// What reading the configuration again brings: what a running daemon takes over, and what it cannot.
struct ConfigurationChange: Sendable, Equatable {
    /// The configuration to go by from now on: the new one, but with the old values of what needs a restart.
    let effective: Configuration
    /// Keys whose new values count from now on, in the schema's order.
    let applied: [String]
    /// Keys whose new values count after a restart.
    let needingRestart: [String]

    /// Compares key by key; secrets, too, though no value is ever told.
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
        // The listener stays where it is until a restart, and must not be open there meanwhile.
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

/// The configuration that a running daemon goes by, which a reload replaces as a whole; any thread.
///
/// For parts that ask seldom: what the hot path needs is handed to it when it changes.
final class LiveConfiguration: Sendable {
    private let state: Lock<LoadedConfiguration>

    init(_ loaded: LoadedConfiguration) { state = Lock(loaded) }

    /// What counts now, and who said it.
    var loaded: LoadedConfiguration {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// What counts now.
    var current: Configuration { state.withLock { $0.configuration } }
}
