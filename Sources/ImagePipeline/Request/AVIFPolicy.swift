/// When `format=auto` answers AVIF (`avif` in the configuration); says nothing of the bytes, so no part of the key.
package struct AVIFPolicy: Hashable, Sendable {
    /// Whether it does at all; else clients that show AVIF get WebP.
    package var isAuto = true
    /// Milliseconds that its encoding may take while somebody waits; what takes longer is made behind the back of who gets WebP.
    package var budget = 100
    /// Seconds for which clients may keep the WebP that stands in until then.
    package var standInLifetime: Int64 = 30

    /// Creates the default policy.
    package init() {}
}
