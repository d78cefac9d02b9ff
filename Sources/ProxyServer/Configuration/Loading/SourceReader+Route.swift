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
        if draft.rule.location.urlPrefix?.hasPrefix("https:") == false {
            for name in tls { report(name, "only applies to https:// origins") }
        }
        if isSaid("tls.key"), !isSaid("tls.certificate") { report("tls.key", "requires tls.certificate") }
        if !draft.rule.tls.verifies, isSaid("tls.ca") {
            report("tls.ca", "has no effect with tls.verify: false")
        }
    }
}
