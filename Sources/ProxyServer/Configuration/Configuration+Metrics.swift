extension Configuration {
    /// The bounds of `/metrics`.
    struct MetricBounds: Sendable, Equatable {
        /// The maximum number of sources that are counted separately; the others are counted together, as `other`.
        var sources = 32
    }
}
