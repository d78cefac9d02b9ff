package import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

extension OriginRequest {
    /// The cache settings for a response, with the lifetimes of rules about the original; on the thread that has received it.
    package func rule(for response: FetchedResponse, updating stored: StoredResponse?) -> CacheRule {
        var rule = rule
        guard let effects = source.effects, effects.hasLateLifetimes else { return rule }
        let lifetimes = effects.lifetimes(facts(response, stored))
        rule.ttl = lifetimes.ttl ?? rule.ttl
        rule.ttlMinimum = lifetimes.minimum ?? rule.ttlMinimum
        rule.ttlMaximum = lifetimes.maximum ?? rule.ttlMaximum
        return rule
    }

    /// What a response tells about the original; what a 304 leaves out is known from the stored response.
    private func facts(_ response: FetchedResponse, _ stored: StoredResponse?) -> RuleEffects.Facts {
        if let stored {
            var fields = stored.fields
            fields.replace(with: response.fields.endToEnd)
            let record = stored.original?.record
            return RuleEffects.Facts(type: record?.header.format, length: record?.length, fields: fields)
        }
        var facts = RuleEffects.Facts(fields: response.fields)
        switch response.content {
        case .none: break
        case .bytes(let bytes): facts.length = bytes.count
        case .file(let body):
            facts.length = body.length
            facts.type = try? OriginalHeader.read(body, of: source).format
        case .growing(let file):
            facts.length = file.expected
            facts.type = OriginalHeader.format(ofArriving: file)
        }
        return facts
    }
}
