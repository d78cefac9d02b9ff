import ImagePipeline
import ImagePlan

/// Validates `unsigned` against the keys that it depends on.
enum UnsignedChecks {
    /// Reports values that serve no request, or have no effect.
    ///
    /// - Parameter scope: the path of the map that has the sources, with a dot at the end; empty for the file's top.
    static func check(_ configuration: Configuration, scope: String = "", _ decoder: inout ConfigurationDecoder) {
        for source in configuration.sources {
            let key = "\(scope)sources.\(source.rule.localName).unsigned"
            guard let problem = problem(of: source.rule.unsigned, configuration) else { continue }
            decoder.report(problem, key: key, place: place(of: key, decoder))
        }
        let key = scope + "remote.unsigned"
        let unsigned = configuration.remote.unsigned
        guard unsigned != .any,
            let problem = remoteProblem(configuration.remote) ?? problem(of: unsigned, configuration)
        else { return }
        decoder.report(problem, key: key, place: place(of: key, decoder))
    }

    private static func place(of key: String, _ decoder: ConfigurationDecoder) -> Place? { decoder.places[key] }

    private static func problem(of unsigned: UnsignedUse, _ configuration: Configuration) -> String? {
        switch unsigned {
        case .any: nil
        case .none where !configuration.hasSignatures:
            "none requires signing.keys: otherwise no request could be served"
        case .none: nil
        case .limited where configuration.signing.required:
            "has no effect with signing.required: true, which refuses unsigned requests"
        case .limited: nil
        }
    }

    private static func remoteProblem(_ remote: Configuration.Remote) -> String? {
        if remote.raw { return "has no effect with remote.raw: true, which serves responses unchanged" }
        let isOpen = !remote.allow.isEmpty || remote.data == .any
        if remote.unsigned == .none {
            return isOpen ? "none contradicts remote.allow and remote.data: any, which allow unsigned requests" : nil
        }
        return isOpen ? nil : "has no effect without remote.allow: requests to /fetch need a signature"
    }
}
