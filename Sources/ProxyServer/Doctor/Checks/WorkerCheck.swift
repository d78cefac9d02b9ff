import ImagePipeline
import ImagePlan

/// Whether `edgeprint-worker` is there and starts under its limits, and what it can decode and encode.
struct WorkerCheck: DoctorCheck {
    /// Bytes of address space that a worker is given (`workers.memory`).
    let memory: Int

    private let subject = "worker"

    init(memory: Int) {
        self.memory = memory
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let path = probe.workerPath ?? "edgeprint-worker"
        guard probe.status(path)?.kind == .file else {
            let fix = "install edgeprint-worker into the folder of edgeprint: both come from one build"
            return [.failure(subject, "\(path) is not there: no picture can be made", fix: fix)]
        }
        if let error = probe.accessError(path, .execute) {
            return [.failure(subject, "\(path) cannot be run: \(error)", fix: "chmod 0755 \(path)")]
        }
        do throws(WorkerInquiry.Failure) {
            guard let found = try probe.worker(memory: memory) else {
                return [.failure(subject, "\(path) answers something else", fix: reinstall)]
            }
            guard found.protocolVersion == Int(WorkerMessage.version) else {
                let message = "\(path) speaks protocol \(found.protocolVersion), the daemon \(WorkerMessage.version)"
                return [.failure(subject, message, fix: reinstall)]
            }
            return [.ok(subject, "\(path) starts with \(Printing.size(memory)) of address space"), libraries(found)]
                + found.codecs.map(finding)
        } catch {
            return [failure(path, error)]
        }
    }

    private var reinstall: String { "install edgeprint and edgeprint-worker of one build" }

    private func failure(_ path: String, _ failure: WorkerInquiry.Failure) -> Finding {
        let room = "raise workers.memory (now \(Printing.size(memory)))"
        switch failure {
        case .system(let error):
            return .failure(subject, "no process for \(path): \(error)", fix: "raise TasksMax= or ulimit -u")
        // As edge_spawn says it: limits, then exec.
        case .ended(code: 126):
            return .failure(subject, "\(path) cannot be given its limits", fix: "see the limits above")
        case .ended(code: 127):
            let message = "\(path) is no program for this machine, or its libraries are missing"
            return .failure(subject, message, fix: "ldd \(path) names what is missing; apt install libvips42")
        case .ended(let code):
            let how = code.map { "with code \($0)" } ?? "by a signal"
            let fix = "\(path) --capabilities shows why by hand; \(room)"
            return .failure(subject, "\(path) ends \(how) before it answers", fix: fix)
        case .timedOut:
            return .failure(subject, "\(path) does not answer in time", fix: "look at the machine's load; \(room)")
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
        // What answers fall back on, and what most originals are.
        let isVital = codec.format == "jpeg" || codec.format == "png"
        switch (codec.decodes, codec.encodes) {
        case (true, true?):
            let settings = codec.settings.map { " with \(Printing.plain($0.joined(separator: ", ")))" } ?? ""
            return .ok(subject, "decodes, encodes\(settings)")
        case (true, nil): return .ok(subject, "decodes")
        case (true, false?):
            let message = "no pictures can be encoded\(reason)"
            return isVital ? .failure(subject, message, fix: fix) : .warning(subject, message, fix: fix)
        default:
            let message = "originals cannot be decoded\(reason)"
            if codec.format == "pdf" { return .note(subject, "\(message); only formats.pdf asks for it", fix: fix) }
            return isVital ? .failure(subject, message, fix: fix) : .warning(subject, message, fix: fix)
        }
    }

    private static let packages = [
        "avif": "apt install libheif1, from Debian 13 on also libheif-plugin-aomenc and libheif-plugin-dav1d",
        "heic": "apt install libheif1 and libde265-0, from Debian 13 on also libheif-plugin-libde265",
        "pdf": "install a libvips with poppler or pdfium",
        "webp": "apt install libwebp7 and a libvips that is built with it",
    ]
}
