import ImagePipeline
import ImagePlan
import LinuxSystem

extension Finding {
    /// Reports the confinement that a worker has found in force, under the limits of this shell.
    static func sandbox(_ report: SandboxReport) -> Finding {
        let subject = "worker sandbox"
        let fix =
            "run it under the packaged unit, on a kernel with seccomp and Landlock (5.13 or later), or set workers.sandbox: best"
        guard report.mode != .off else {
            return .note(
                subject,
                "workers.sandbox is off: only resource limits, no new privileges, and none of the daemon's environment",
                fix: "set workers.sandbox: best"
            )
        }
        guard let posture = report.posture else {
            return .warning(subject, "the worker does not report its confinement", fix: fix)
        }
        let absent = posture.missing.map(posture.text)
        let inForce = WorkerPosture.Layer.allCases.filter(posture.has).map { layer in
            layer == .landlock ? "\(layer.name) \(posture.landlockVersion)" : layer.name
        }
        let message =
            "in force: \(inForce.joined(separator: ", "))"
            + (absent.isEmpty ? "" : "; missing: \(absent.joined(separator: ", "))")
        guard posture.missingRequirements.isEmpty else {
            return report.mode == .require ? .failure(subject, message, fix: fix) : .warning(subject, message, fix: fix)
        }
        guard posture.calls.isEmpty else {
            let names = posture.calls.map { $0.isAllowed ? $0.name : "\($0.name) (refused)" }
            let text = "\(message); a library makes system calls that the filter does not list: "
            let update = "install a release of edgeprint for these libraries"
            return report.mode == .require
                ? .failure(subject, text + names.joined(separator: ", "), fix: update)
                : .warning(subject, text + names.joined(separator: ", "), fix: update)
        }
        return absent.isEmpty
            ? .ok(subject, message)
            : .note(
                subject,
                message,
                fix: "allow user namespaces, if the machine's policy permits it; nothing depends on them"
            )
    }
}
