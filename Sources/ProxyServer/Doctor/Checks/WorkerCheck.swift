import ImagePipeline
import ImagePlan

/// Checks that `edgeprint-worker` exists and starts with its limits, and reports its confinement and which formats it supports.
struct WorkerCheck: DoctorCheck {
    /// The address space limit of a worker in bytes (`workers.memory`).
    let memory: Int
    /// How strictly workers must be confined (`workers.sandbox`).
    let sandbox: SandboxMode

    private let subject = "worker"

    init(memory: Int, sandbox: SandboxMode = .best) {
        self.memory = memory
        self.sandbox = sandbox
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let path = probe.workerPath ?? "edgeprint-worker"
        guard probe.status(path)?.kind == .file else {
            let fix = "install edgeprint-worker of the same build into the folder of edgeprint"
            return [.failure(subject, "\(path) does not exist: images cannot be transformed", fix: fix)]
        }
        if let error = probe.accessError(path, .execute) {
            return [.failure(subject, "\(path) cannot be executed: \(error)", fix: "chmod 0755 \(path)")]
        }
        do throws(WorkerInquiry.Failure) {
            guard let found = try probe.worker(memory: memory, sandbox: sandbox) else {
                return [.failure(subject, "\(path) sends an unexpected response", fix: reinstall)]
            }
            guard found.protocolVersion == Int(WorkerMessage.version) else {
                let message =
                    "\(path) has protocol version \(found.protocolVersion), the daemon \(WorkerMessage.version)"
                return [.failure(subject, message, fix: reinstall)]
            }
            let start = Finding.ok(subject, "\(path) starts with \(Printing.size(memory)) of address space")
            return [start, .sandbox(SandboxReport(sandbox, found.posture)), libraries(found)]
                + found.codecs.map(finding) + (found.faces.map { [faces($0)] } ?? [])
        } catch {
            return [failure(path, error)]
        }
    }

    private var reinstall: String { "install edgeprint and edgeprint-worker of the same build" }

    private func failure(_ path: String, _ failure: WorkerInquiry.Failure) -> Finding {
        let room = "raise workers.memory (now \(Printing.size(memory)))"
        switch failure {
        case .system(let error):
            return .failure(
                subject,
                "cannot create a process for \(path): \(error)",
                fix: "raise TasksMax= or ulimit -u"
            )
        // The exit codes of edge_spawn: 126 if a limit cannot be set, 127 if exec fails.
        case .ended(code: 126):
            return .failure(subject, "the limits of \(path) cannot be set", fix: "see the limits above")
        case .ended(code: 127):
            let message = "\(path) is not executable on this machine, or its libraries are missing"
            return .failure(subject, message, fix: "find missing libraries with ldd \(path); apt install libvips42")
        case .ended(let code):
            let how = code.map { "with code \($0)" } ?? "by a signal"
            let fix = "run \(path) --capabilities to see why; \(room)"
            return .failure(subject, "\(path) exits \(how) before it responds", fix: fix)
        case .timedOut:
            return .failure(subject, "\(path) does not respond in time", fix: "check the machine's load; \(room)")
        }
    }

    private func libraries(_ found: WorkerCapabilities) -> Finding {
        let others = found.libraries.map { "\($0.name) \($0.version)" }
        return .ok("libvips", Printing.plain(([found.libvips] + others).joined(separator: ", ")))
    }

    private func finding(_ codec: WorkerCapabilities.Codec) -> Finding {
        let subject = "codec \(Printing.plain(codec.format))"
        let reason = codec.problem.map { ": \(Printing.plain($0))" } ?? ""
        let fix = Self.packages[codec.format] ?? "install a libvips with this format"
        // The fallback output formats, and those of most originals.
        let isVital = codec.format == "jpeg" || codec.format == "png"
        switch (codec.decodes, codec.encodes) {
        case (true, true?):
            let settings = codec.settings.map { " with \(Printing.plain($0.joined(separator: ", ")))" } ?? ""
            return .ok(subject, "decodes, encodes\(settings)")
        case (true, nil): return .ok(subject, "decodes")
        case (true, false?):
            let message = "cannot encode\(reason)"
            return isVital ? .failure(subject, message, fix: fix) : .warning(subject, message, fix: fix)
        default:
            let message = "cannot decode\(reason)"
            if codec.format == "pdf" { return .note(subject, "\(message); only needed for formats.pdf", fix: fix) }
            return isVital ? .failure(subject, message, fix: fix) : .warning(subject, message, fix: fix)
        }
    }

    private func faces(_ found: WorkerCapabilities.Faces) -> Finding {
        let without = "gravity=subject does not look for faces"
        let isNetwork = found.method == "network"
        if found.areFound {
            return .ok(
                "faces",
                "gravity=subject keeps \(isNetwork ? "faces" : "large frontal faces; YuNet finds others, too")"
            )
        }
        guard let problem = found.problem else {
            return .note("faces", without, fix: "install YuNet's model, or opencv-data, on every node or on none")
        }
        let fix = isNetwork ? "install YuNet's model again, or remove the file" : "apt install --reinstall opencv-data"
        return .warning("faces", "\(without): \(Printing.plain(problem))", fix: fix)
    }

    private static let packages = [
        "avif": "apt install libheif1, from Debian 13 on also libheif-plugin-aomenc and libheif-plugin-dav1d",
        "heic": "apt install libheif1 and libde265-0, from Debian 13 on also libheif-plugin-libde265",
        "pdf": "install a libvips with poppler or pdfium",
        "webp": "apt install libwebp7 and a libvips that is built with it",
    ]
}
