extension QualityDefaults {
    /// What a step down ends at: below, pictures fall apart.
    private static let least = 30

    /// The same one step lower, for clients that save data; qualities under 30 stay what they are.
    package func lowered(by step: Int) -> QualityDefaults {
        var lowered = self
        for path in [\QualityDefaults.jpeg, \.webp, \.avif] {
            lowered[keyPath: path] = max(min(self[keyPath: path], Self.least), self[keyPath: path] - step)
        }
        return lowered
    }
}

extension FormatSetting {
    /// Whether a result may have a quality.
    package var isLossyPossible: Bool {
        switch self {
        case .auto, .source, .jpeg, .webp, .avif, .jxl: true
        case .png, .gif, .tiff, .json, .blurhash, .lqip: false
        }
    }
}
