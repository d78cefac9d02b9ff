/// The capabilities of an encoder that affect the choice of a format.
package struct EncoderTraits: Hashable, Sendable {
    /// Whether the format keeps transparency.
    package var hasAlpha: Bool
    /// Whether the format keeps all frames of an animation.
    package var hasAnimation: Bool
    /// Whether `lossless=1` is possible; otherwise the format is always lossy.
    package var isLosslessPossible: Bool
    /// The longest side, in pixels, that format and encoder accept.
    package var longestSide: Int

    /// Creates traits.
    package init(hasAlpha: Bool, hasAnimation: Bool, isLosslessPossible: Bool, longestSide: Int) {
        self.hasAlpha = hasAlpha
        self.hasAnimation = hasAnimation
        self.isLosslessPossible = isLosslessPossible
        self.longestSide = longestSide
    }
}

/// The available encoders, from which `FormatNegotiation` chooses.
package struct EncoderTable: Hashable, Sendable {
    private let traits: [ImageFormat: EncoderTraits]

    /// Creates a table.
    package init(_ traits: [ImageFormat: EncoderTraits]) {
        self.traits = traits
    }

    /// The formats that have an encoder.
    package var formats: Set<ImageFormat> { Set(traits.keys) }

    /// The capabilities of a format's encoder; `nil` if there is none.
    package subscript(format: ImageFormat) -> EncoderTraits? { traits[format] }

    /// The table without the formats that a source does not write.
    package func without(_ formats: Set<ImageFormat>) -> EncoderTable {
        formats.isEmpty ? self : EncoderTable(traits.filter { !formats.contains($0.key) })
    }

    /// What a result requires of its format.
    package struct Demand: Hashable, Sendable {
        package var hasAlpha: Bool
        package var isAnimated: Bool
        package var isLossless: Bool
        /// The size; `nil` if unknown.
        package var size: PixelSize?

        /// Creates a demand.
        package init(hasAlpha: Bool, isAnimated: Bool, isLossless: Bool, size: PixelSize?) {
            self.hasAlpha = hasAlpha
            self.isAnimated = isAnimated
            self.isLossless = isLossless
            self.size = size
        }
    }

    /// Whether a format meets all requirements of a result.
    package func canEncode(_ format: ImageFormat, _ demand: Demand) -> Bool {
        guard let traits = self[format] else { return false }
        return (traits.hasAlpha || !demand.hasAlpha) && (traits.hasAnimation || !demand.isAnimated)
            && (traits.isLosslessPossible || !demand.isLossless)
            && (demand.size.map { max($0.width, $0.height) <= traits.longestSide } ?? true)
    }
}
