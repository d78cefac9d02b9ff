import CVips
import Glibc
import ImagePlan
import WorkerSandbox

/// `edgeprint-worker --capabilities [3 [--sandbox=MODE]]`: reports the formats and the libraries of this machine, and the
/// confinement under which the formats were tried.
///
/// Without a descriptor it prints to standard output, which locking would close.
enum CapabilityReport {
    /// Writes the JSON object and a line feed to the descriptor that the arguments name, or to standard output.
    ///
    /// libvips must have been started.
    /// - Returns: whether everything was written.
    static func write(_ arguments: [String], _ options: SandboxOptions, _ sandbox: inout Sandbox) -> Bool {
        let descriptor = arguments.count > 2 ? CInt(arguments[2]) ?? STDOUT_FILENO : STDOUT_FILENO
        WarmUp.load()
        // A locked worker cannot look libraries up.
        let libraries = LibraryVersions.all()
        sandbox.lock()
        let codecs = WarmUp.tryCoders()
        sandbox.finishTrials()
        let capabilities = WorkerCapabilities(
            protocolVersion: Int(WorkerMessage.version),
            libvips: "\(vips_version(0)).\(vips_version(1)).\(vips_version(2))",
            codecs: codecs,
            libraries: libraries,
            faces: FaceData.capability,
            posture: options.mode == .off ? nil : sandbox.posture
        )
        var rest = Array((capabilities.json + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
