import OriginTransfer
import ImagePipeline

extension SourceReader {
    /// Reports contradictions of `tls`, `proxy` and `interface`, with each other and with the location of the originals.
    ///
    /// - Parameters:
    ///   - isSaid: returns whether the source has a key, even with an invalid value.
    ///   - report: reports a problem of a key below the source.
    static func checkRoute(
        _ draft: SourceSchema.Draft,
        isSaid: (_ name: String) -> Bool,
        report: (_ name: String, _ message: String) -> Void
    ) {
        // The default of tls.verify applies everywhere, and `check` prints it.
        let tls = SourceSchema.route.map(\.name).filter { name in
            name.hasPrefix("tls.") && isSaid(name) && (name != "tls.verify" || !draft.rule.tls.verifies)
        }
        if case .file = draft.rule.location {
            for name in tls + ["proxy", "interface"] where isSaid(name) {
                report(name, "does not apply to a file:// source")
            }
            return
        }
        let origins = [draft.rule.location] + draft.rule.mirrors
        if !origins.contains(where: { $0.urlPrefix?.hasPrefix("https:") ?? true }) {
            for name in tls { report(name, "only applies to https:// origins") }
        }
        if isSaid("tls.key"), !isSaid("tls.certificate") { report("tls.key", "requires tls.certificate") }
        if !draft.rule.tls.verifies, isSaid("tls.ca") {
            report("tls.ca", "has no effect with tls.verify: false")
        }
    }

    /// The maximum number of mirrors.
    private static let mostMirrors = 8

    /// Reports mirrors that cannot stand in for the source's `url`.
    static func checkMirrors(_ draft: SourceSchema.Draft, report: (_ message: String) -> Void) {
        let rule = draft.rule
        guard !rule.mirrors.isEmpty else { return }
        if rule.isFolder { return report("does not apply to a file:// source") }
        if rule.mirrors.count > mostMirrors { report("has more than \(mostMirrors) locations") }
        var seen = [rule.location]
        for mirror in rule.mirrors {
            switch (rule.location, mirror) {
            case (.http, .http), (.bucket, .bucket): break
            case (_, .file): report("contains a file:// location; use fallback, or a source of its own")
            case (.bucket, _): report("contains a location that is not an s3:// bucket, as url is one")
            default: report("contains an s3:// bucket, but url is none")
            }
            if seen.contains(mirror) { report("contains a location twice, or that of url") }
            seen.append(mirror)
        }
    }
}
