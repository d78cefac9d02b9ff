/// The fields of answers that belong to a request's form and not to the picture: encoded once a target, as the same picture can be
/// asked in several forms.
struct OwnFields: Hashable, Sendable {
    /// `Vary`.
    let vary: [UInt8]
    /// `Vary` and `Content-Disposition`.
    let all: [UInt8]
    /// The same behind the `Cache-Status` of a hit: what an event loop answers without putting anything together.
    let memory: [UInt8]
    let disk: [UInt8]

    init(vary: VaryFields, disposition: [UInt8]) {
        self.vary = vary.bytes
        all = self.vary + disposition
        memory = CacheStatusFields.memory + all
        disk = CacheStatusFields.disk + all
    }
}
