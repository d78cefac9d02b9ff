import HTTPSemantics

extension ResponseHead {
    /// What the cache needs of the head.
    func fields(requestTime: Int64, responseTime: Int64) -> OriginFields {
        var fields = OriginFields(requestTime: requestTime, responseTime: responseTime)
        fields.cacheControl = self[.cacheControl]
        fields.expires = self[.expires]
        if let targeted = self[.targeted].flatMap({ CacheControl(targeted: $0) }) {
            // RFC 9213 §2.2: a cache that a targeted field speaks to knows no other; browsers know the others only.
            fields.clientCacheControl = self[.cacheControl] ?? ""
            fields.cacheControl = targeted.text
            fields.expires = nil
        }
        fields.date = self[.date]
        fields.age = self[.age]
        fields.entityTag = self[.entityTag]
        fields.lastModified = self[.lastModified]
        fields.contentType = self[.contentType]
        fields.vary = self[.vary]
        fields.retryAfter = self[.retryAfter]
        let tags = [self[.cacheTag], self[.surrogateKey], self[.xkey]].compactMap(\.self)
        if !tags.isEmpty { fields.tags = tags.joined(separator: ", ") }
        return fields
    }
}
