import CLinux
import Glibc
package import ImagePlan

/// Confines this process in two steps: namespaces while it has one thread, everything else once its libraries are loaded.
///
/// Each layer is tried by itself, and `posture` tells which are in force. Not thread-safe: the main thread uses it.
package struct Sandbox: ~Copyable {
    /// What is in force so far.
    package private(set) var posture = WorkerPosture()
    private let options: SandboxOptions
    /// The filter that replaces the canary's.
    private var finalFilter: SystemCallFilter?

    /// The descriptor of the socket to the daemon; descriptors above it are closed.
    private static let socket: CInt = 3

    /// Takes the namespaces; call it before the process has threads.
    package init(_ options: SandboxOptions) {
        self.options = options
        note(.noNewPrivileges, edge_has_no_new_privileges() == 1 ? 0 : ENOTSUP)
        guard options.mode != .off else { return }
        // First: the others need the capabilities that it brings.
        note(.userNamespace, edge_enter_namespace(CInt(edge_namespace_user)))
        note(.networkNamespace, edge_enter_namespace(CInt(edge_namespace_network)))
        note(.ipcNamespace, edge_enter_namespace(CInt(edge_namespace_ipc)))
        note(.utsNamespace, edge_enter_namespace(CInt(edge_namespace_uts)))
        note(.mountNamespace, edge_enter_namespace(CInt(edge_namespace_mount)))
        // Those of the new namespace, or of a daemon that runs as root. The packaged unit, which has neither, forbids the call.
        if posture.has(.userNamespace) || geteuid() == 0 { _ = edge_drop_capabilities() }
        _ = edge_follow_parent()
    }

    private mutating func note(_ layer: WorkerPosture.Layer, _ error: CInt) {
        posture.outcomes.append(.init(layer, error: Int(error)))
    }

    /// Points descriptors 0 to 2 at /dev/null, and closes all others but the socket's.
    package func silence() { _ = edge_close_descriptors(Self.socket + 1) }

    /// Closes the process: from here on, it can neither open anything but fonts, nor make calls that the filter does not list.
    ///
    /// All libraries must be loaded, as nothing executable can be mapped afterwards. The canary's filter reports other calls to the
    /// daemon and lets them fail, until `finishTrials`.
    package mutating func lock() {
        guard options.mode != .off else { return }
        // While it can still open /dev/null.
        silence()
        lockFiles()
        lockCalls()
    }

    private mutating func lockFiles() {
        let version = edge_landlock_version()
        let ruleset = edge_landlock_create(version)
        guard ruleset >= 0 else {
            for layer in [WorkerPosture.Layer.landlock, .landlockTCP, .landlockScopes] { note(layer, -ruleset) }
            return
        }
        let paths = options.isEarly ? [] : ReadableFiles.paths()
        for path in paths { _ = unsafe edge_landlock_allow_reading(ruleset, path) }
        let error = edge_landlock_enforce(ruleset)
        close(ruleset)
        note(.landlock, error)
        note(.landlockTCP, error != 0 ? error : version >= 4 ? 0 : EOPNOTSUPP)
        note(.landlockScopes, error != 0 ? error : version >= 6 ? 0 : EOPNOTSUPP)
        if error == 0 { posture.landlockVersion = Int(version) }
    }

    private mutating func lockCalls() {
        posture.calls = options.calls.prefix(WorkerPosture.maximumCalls).map { number in
            let name = SystemCallFilter.name(of: number)
            return .init(name: name ?? "call \(number)", isAllowed: name.map(SystemCallFilter.isAllowed) ?? false)
        }
        do throws(SandboxError) {
            let filter = try SystemCallFilter(.kill, extra: options.calls)
            if options.isCanary {
                let trapping = try SystemCallFilter(.trap, extra: options.calls)
                let message = WorkerMessage.encodeTrapped(0)
                let error = unsafe edge_report_trapped_calls(Self.socket, message, CInt(message.count))
                guard error == 0 else { throw SandboxError(code: error) }
                try trapping.load()
                finalFilter = filter
            } else {
                try filter.load()
                noteFilter()
            }
        } catch {
            note(.systemCallFilter, error.code)
        }
    }

    /// Ends the canary's trials: calls that the filter does not list kill from here on.
    package mutating func finishTrials() {
        guard let filter = finalFilter else { return }
        finalFilter = nil
        edge_stop_reporting_trapped_calls()
        do throws(SandboxError) {
            try filter.load()
            noteFilter()
        } catch {
            note(.systemCallFilter, error.code)
        }
    }

    /// The filter is in force in every thread: seccomp_load fails if one of them cannot take it.
    private mutating func noteFilter() { note(.systemCallFilter, 0) }
}
