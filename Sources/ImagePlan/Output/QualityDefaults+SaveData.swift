extension QualityDefaults {
    /// The lowest quality that lowering reaches: below, artefacts dominate.
    private static let least = 30

    /// The qualities lowered by `step` for clients that send `Save-Data`; qualities under 30 do not change.
    package func lowered(by step: Int) -> QualityDefaults {
        var lowered = self
        for path in [\QualityDefaults.jpeg, \.webp, \.avif, \.jxl] {
            lowered[keyPath: path] = max(min(self[keyPath: path], Self.least), self[keyPath: path] - step)
        }
        return lowered
    }
}

extension FormatSetting {
    /// Whether the format can have a quality setting.
    package var isLossyPossible: Bool {
        switch self {
        case .auto, .source, .jpeg, .webp, .avif, .jxl: true
        case .png, .gif, .tiff, .json, .blurhash, .thumbhash, .lqip: false
        }
    }
}
