import ImagePipeline
import ImagePlan
import OriginTransfer

extension SourceReader {
    /// The decryption of a source; `nil` for none, and for one with a problem, which is reported.
    func decryption(
        _ draft: SourceSchema.Draft,
        key: String,
        place: Place,
        _ decoder: inout ConfigurationDecoder
    ) -> BodyDecryption? {
        let places = (method: decoder.places["\(key).decrypt"], name: decoder.places["\(key).decrypt-key"])
        guard let method = draft.decrypt, method.needsKey else {
            if draft.decryptKey != nil {
                let message = "has no effect without decrypt: aes-256-gcm or aes-256-cbc"
                decoder.report(message, key: "\(key).decrypt-key", place: places.name ?? place)
            }
            return draft.decrypt == .base64 ? .base64 : nil
        }
        guard let name = draft.decryptKey else {
            decoder.report("requires decrypt-key", key: "\(key).decrypt", place: places.method ?? place)
            return nil
        }
        guard let value = configuration.key(named: name) else {
            let hint = NearestName.hint(name, among: configuration.keys.map(\.name))
            let message = "there is no key '\(name)' (keys)\(hint)"
            decoder.report(message, key: "\(key).decrypt-key", place: places.name ?? place)
            return nil
        }
        return BodyDecryption(method, key: value, named: name)
    }
}
