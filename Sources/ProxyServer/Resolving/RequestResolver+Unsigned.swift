import ImagePipeline
import ImagePlan

extension RequestResolver {
    /// Refuses a request without a signature for a source that requires one (`unsigned: none`).
    ///
    /// A signature of the request has been verified before.
    func checkUse(_ parsed: ParsedQuery, _ ruled: RuledSource) throws(Problem) {
        guard permission != nil, !parsed.isSigned, ruled.entry.rule.unsigned == .none else { return }
        throw Problem(403, "This source only serves signed requests (unsigned: none).", parameter: "sig")
    }
}
