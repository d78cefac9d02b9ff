import ImagePlan
import LinuxSystem

/// The confinement in force, as readiness, statistics, the log and `edgeprint doctor` report it.
///
/// It is what workers told when they greeted, never a guess from the kernel's features.
struct SandboxReport: Sendable, Hashable {
    /// How strictly workers must be confined.
    let mode: SandboxMode
    /// What all workers have in common; `nil` before the first one has greeted.
    let posture: WorkerPosture?
    /// Whether other processes of the daemon's user, such as workers, can read its memory and take its descriptors.
    let isDaemonDumpable: Bool

    init(_ mode: SandboxMode, _ posture: WorkerPosture?, isDaemonDumpable: Bool = ProcessInspection.isAllowed) {
        (self.mode, self.posture, self.isDaemonDumpable) = (mode, posture, isDaemonDumpable)
    }

    /// The name of the layer that is the daemon's.
    static let daemonLayer = "undumpable-daemon"

    /// A layer's name and state: 1 in force, 0 not.
    var states: [(name: String, isInForce: Bool)] {
        WorkerPosture.Layer.allCases.map { layer in (layer.name, posture?.has(layer) ?? false) }
            + [(Self.daemonLayer, !isDaemonDumpable)]
    }

    /// The system calls that libraries need beyond those that the filter lists.
    var calls: [WorkerPosture.Call] { posture?.calls ?? [] }

    /// Whether a layer is missing that `require` demands.
    var isWeak: Bool { posture.map { !$0.missingRequirements.isEmpty } ?? true }

    /// `seccomp, landlock 7, user-namespace`.
    var inForce: String {
        let names = states.filter(\.isInForce).map { state in
            state.name == WorkerPosture.Layer.landlock.name
                ? "\(state.name) \(posture?.landlockVersion ?? 0)" : state.name
        }
        return names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }

    /// `user-namespace (Operation not permitted)`; empty if nothing is missing.
    var missing: String {
        states.filter { !$0.isInForce }.map { state in
            reason(of: state.name).map { "\(state.name) (\($0))" } ?? state.name
        }.joined(separator: ", ")
    }

    /// Why a layer is not in force; `nil` if it is, or if it was not tried.
    private func reason(of name: String) -> String? {
        guard let layer = WorkerPosture.Layer.allCases.first(where: { $0.name == name }),
            let error = posture?.refusal(of: layer)
        else { return nil }
        return Errno.text(of: CInt(error))
    }

    /// The member `sandbox` of `/readyz` and `/stats`.
    var json: JSONValue {
        .object([
            .init("mode", .string(mode.rawValue)),
            .init("known", .bool(posture != nil)),
            .init("landlock", .number(posture?.landlockVersion ?? 0)),
            .init(
                "layers",
                .object(
                    states.map { state in
                        let text = state.isInForce ? "in force" : reason(of: state.name) ?? "not in force"
                        return .init(state.name, .string(text))
                    }
                )
            ),
            .init(
                "calls",
                .object(calls.map { .init($0.name, .string($0.isAllowed ? "allowed" : "refused")) })
            ),
        ])
    }
}
