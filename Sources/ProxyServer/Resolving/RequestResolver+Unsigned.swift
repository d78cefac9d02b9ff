import Dialects
import ImagePipeline
import ImagePlan

extension RequestResolver {
    /// Refuses a request without a signature for a source that requires one: by `unsigned: none`, or by keys of its dialect, around
    /// which neither the address of an image in a request to another source nor an auxiliary image must lead.
    ///
    /// A signature of the request has been verified before.
    func checkUse(_ parsed: ParsedQuery, _ ruled: RuledSource) throws(Problem) {
        guard permission != nil, !parsed.isSigned else { return }
        let reason: String
        if ruled.entry.rule.unsigned == .none {
            reason = "unsigned: none"
        } else if let dialect = ruled.entry.reading.dialect, table.verifier.keys.hasKeys(of: dialect) {
            reason = "dialects.\(dialect.rawValue).keys"
        } else {
            return
        }
        throw Problem(403, "This source only serves signed requests (\(reason)).", parameter: "sig")
    }
}
