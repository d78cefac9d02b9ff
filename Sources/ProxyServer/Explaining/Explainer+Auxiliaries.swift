import HTTPCache
import ImagePipeline
import ImagePlan
import OriginTransfer

extension Explainer {
    /// The auxiliary images of a request with their URLs and cache keys; no section if there are none.
    func auxiliarySections(_ resolved: ResolvedRequest) -> [Explanation.Section] {
        let auxiliaries = resolved.anyVariant.auxiliaries
        guard !auxiliaries.isEmpty else { return [] }
        let facts = auxiliaries.map { auxiliary in
            Explanation.Fact(
                auxiliary.name,
                .string(auxiliary.origin.place),
                .parameter(auxiliary.parameter),
                details: [
                    Explanation.Fact("source", .string(auxiliary.origin.source.name)),
                    Explanation.Fact("original", .string(auxiliary.origin.key.description)),
                ]
            )
        }
        return [Explanation.Section(name: "auxiliaries", facts: facts)]
    }

    /// The refusal of the first auxiliary image with a refused address, as far as it is known without resolving names.
    func auxiliaryRefusal(_ resolved: ResolvedRequest) -> Problem? {
        for auxiliary in resolved.anyVariant.auxiliaries {
            guard let verdict = auxiliary.origin.verdict, verdict.decision == .block else { continue }
            return Problem(.auxiliary(auxiliary.parameter, .addressRefused(verdict.rule)))
        }
        return nil
    }
}
