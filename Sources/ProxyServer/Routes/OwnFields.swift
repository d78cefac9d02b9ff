/// The fields of answers that belong to a request's form and not to the picture: encoded once a target, as the same picture can be
/// asked in several forms.
struct OwnFields: Hashable, Sendable {
    /// What scripts of other origins may read: on every answer, failures included.
    let crossOrigin: [UInt8]
    /// The same and `Vary`.
    let vary: [UInt8]
    /// The same and `Content-Disposition`.
    let all: [UInt8]
    /// The same behind the `Cache-Status` of a hit: what an event loop answers without putting anything together.
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
