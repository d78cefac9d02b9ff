/// How strictly workers must be confined (`workers.sandbox`).
package enum SandboxMode: String, CaseIterable, Sendable, Codable {
    /// Workers without a system call filter and Landlock do not serve.
    case require
    /// Takes what the kernel and the service's unit allow.
    case best
    /// Resource limits and no new privileges only.
    case off
}

/// The confinement that is in force in a worker, as the worker itself found it after locking.
///
/// The greeting carries it, so that no part of the daemon has to guess from the kernel's features.
package struct WorkerPosture: Hashable, Sendable, Codable {
    /// A layer of the confinement.
    package enum Layer: UInt8, CaseIterable, Sendable, Codable {
        /// `PR_SET_NO_NEW_PRIVS`.
        case noNewPrivileges
        /// A filter of system calls that kills the process for all that are not listed.
        case systemCallFilter
        /// Landlock of any version: no files but fonts and their configuration.
        case landlock
        /// Landlock forbids to bind and connect TCP sockets (version 4).
        case landlockTCP
        /// Landlock forbids signals to, and abstract sockets of, other processes (version 6).
        case landlockScopes
        case userNamespace
        case networkNamespace
        case ipcNamespace
        case utsNamespace
        case mountNamespace

        /// The name for operators, also the label of the metric.
        package var name: String {
            switch self {
            case .noNewPrivileges: "no-new-privileges"
            case .systemCallFilter: "seccomp"
            case .landlock: "landlock"
            case .landlockTCP: "landlock-tcp"
            case .landlockScopes: "landlock-scopes"
            case .userNamespace: "user-namespace"
            case .networkNamespace: "network-namespace"
            case .ipcNamespace: "ipc-namespace"
            case .utsNamespace: "uts-namespace"
            case .mountNamespace: "mount-namespace"
            }
        }

        /// Whether `require` demands it.
        package var isRequired: Bool {
            self == .noNewPrivileges || self == .systemCallFilter || self == .landlock
        }
    }

    /// The outcome of taking a layer.
    package struct Outcome: Hashable, Sendable, Codable {
        package var layer: Layer
        /// 0 if the layer is in force, else the errno of the refusal.
        package var error: Int

        /// Creates an outcome.
        package init(_ layer: Layer, error: Int = 0) {
            (self.layer, self.error) = (layer, error)
        }
    }

    /// A system call that a library makes although the filter does not list it.
    package struct Call: Hashable, Sendable, Codable {
        package var name: String
        /// Whether workers may make it; the filter never allows calls that lead out of it.
        package var isAllowed: Bool

        /// Creates an entry.
        package init(name: String, isAllowed: Bool) {
            (self.name, self.isAllowed) = (name, isAllowed)
        }
    }

    /// The layers that were tried, each once; empty for `workers.sandbox: off`, except for no new privileges.
    package var outcomes: [Outcome] = []
    /// The version of Landlock's ABI that is in force; 0 for none.
    package var landlockVersion = 0
    /// The calls that the canary found, beyond those that the filter lists.
    package var calls: [Call] = []

    /// The maximum number of calls; further ones are not recorded, and kill the worker that makes them.
    package static let maximumCalls = 16

    /// Creates an empty posture: nothing is in force.
    package init() {}
}

extension WorkerPosture {
    /// Whether a layer is in force.
    package func has(_ layer: Layer) -> Bool { outcomes.contains { $0.layer == layer && $0.error == 0 } }

    /// The layers that are not in force.
    package var missing: [Layer] { Layer.allCases.filter { !has($0) } }

    /// The layers that `require` demands and that are not in force.
    package var missingRequirements: [Layer] { missing.filter(\.isRequired) }

    /// The errno with which a layer was refused; `nil` if it is in force or was not tried.
    package func refusal(of layer: Layer) -> Int? {
        outcomes.first { $0.layer == layer && $0.error != 0 }?.error
    }

    /// Returns what two workers have in common.
    package func weakest(with other: WorkerPosture) -> WorkerPosture {
        var result = self
        result.outcomes = Layer.allCases.compactMap { layer in
            let both = [self, other].map { posture in posture.outcomes.first { $0.layer == layer } }
            guard let first = both[0], let second = both[1] else { return nil }
            return first.error == 0 ? second : first
        }
        result.landlockVersion = min(landlockVersion, other.landlockVersion)
        result.calls += other.calls.filter { !calls.contains($0) }
        return result
    }
}

extension WorkerPosture: FieldCoded {
    static let blank = WorkerPosture()

    static let fields: [MessageField<WorkerPosture>] = [
        MessageField("outcomes", \.outcomes, .list(0...Layer.allCases.count)),
        MessageField("landlockVersion", \.landlockVersion, .uint8(0...255)),
        MessageField("calls", \.calls, .list(0...maximumCalls)),
    ]
}

extension WorkerPosture.Outcome: FieldCoded {
    static let blank = Self(.noNewPrivileges)

    static let fields: [MessageField<Self>] = [
        MessageField("layer", \.layer, .enumeration),
        MessageField("error", \.error, .uint32(0...4095)),
    ]
}

extension WorkerPosture.Call: FieldCoded {
    static let blank = Self(name: "", isAllowed: false)

    static let fields: [MessageField<Self>] = [
        MessageField("name", \.name, .text(64)),
        MessageField("isAllowed", \.isAllowed, .flag),
    ]
}
