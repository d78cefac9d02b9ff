import HTTPSemantics
import OriginTransfer

extension OriginFields {
    /// Takes what the cache needs of a response's head.
    init(_ head: TransferHead) {
        func value(_ name: String) -> String? { head.fields.validText(name) }
        self.init(requestTime: head.requestTime, responseTime: head.responseTime)
        cacheControl = value("cache-control")
        expires = value("expires")
        if let targeted = value("cdn-cache-control").flatMap({ CacheControl(targeted: $0) }) {
            // RFC 9213 §2.2: a cache that a targeted field addresses ignores the others, which are for browsers.
            clientCacheControl = cacheControl ?? ""
            cacheControl = targeted.text
            expires = nil
        }
        date = value("date")
        age = value("age")
        entityTag = value("etag")
        lastModified = value("last-modified")
        contentType = value("content-type")
        vary = value("vary")
        retryAfter = value("retry-after")
        let tags = ["cache-tag", "surrogate-key", "xkey"].compactMap(value)
        if !tags.isEmpty { self.tags = tags.joined(separator: ", ") }
    }
}

extension FieldLines {
    /// All values of a field as one, joined with ", "; values that are no UTF-8 are left out.
    fileprivate func validText(_ key: String) -> String? {
        let texts = lines.lazy.filter { $0.key == key }.compactMap { String(validating: $0.value, as: UTF8.self) }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
