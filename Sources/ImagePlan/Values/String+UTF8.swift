extension String {
    /// Decodes UTF-8; `nil` if it is malformed.
    ///
    /// `String(validating:as:)` of the standard library does the same, but only from macOS 15 and iOS 18 on.
    init?(utf8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // A repair replaces bytes.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
