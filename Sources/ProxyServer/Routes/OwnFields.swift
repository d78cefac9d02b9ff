/// The response fields that depend on the request instead of the image, encoded once per target.
struct OwnFields: Hashable, Sendable {
    /// The CORS fields of every response, including failures.
    let crossOrigin: [UInt8]
    /// `crossOrigin` and `Vary`.
    let vary: [UInt8]
    /// `vary` and `Content-Disposition`.
    let all: [UInt8]
    /// `all` after the `Cache-Status` of a memory or disk hit, so that a hit concatenates nothing.
    let memory: [UInt8]
    let disk: [UInt8]

    init(vary: VaryFields, crossOrigin: [UInt8], disposition: [UInt8]) {
        self.crossOrigin = crossOrigin
        self.vary = crossOrigin + vary.bytes
        all = self.vary + disposition
        memory = CacheStatusFields.memory + all
        disk = CacheStatusFields.disk + all
    }
}
