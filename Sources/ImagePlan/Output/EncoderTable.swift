/// What an encoder can put into its format, as far as a choice of format must know.
package struct EncoderTraits: Hashable, Sendable {
    /// Whether transparent pixels stay transparent.
    package var hasAlpha: Bool
    /// Whether all frames of an animation are kept.
    package var hasAnimation: Bool
    /// Whether `lossless=1` can be met; otherwise the format is lossy always.
    package var isLosslessPossible: Bool
    /// The longest side in pixels that format and encoder take.
    package var longestSide: Int

    /// Creates traits.
    package init(hasAlpha: Bool, hasAnimation: Bool, isLosslessPossible: Bool, longestSide: Int) {
        self.hasAlpha = hasAlpha
        self.hasAnimation = hasAnimation
        self.isLosslessPossible = isLosslessPossible
        self.longestSide = longestSide
    }
}

/// The encoders that are there: what `FormatNegotiation` may choose of.
package struct EncoderTable: Hashable, Sendable {
    private let traits: [ImageFormat: EncoderTraits]

    /// Creates a table.
    package init(_ traits: [ImageFormat: EncoderTraits]) {
        self.traits = traits
    }

    /// What the encoder of a format can; `nil` where there is none.
    package subscript(format: ImageFormat) -> EncoderTraits? { traits[format] }

    /// A result to be encoded.
    package struct Demand: Hashable, Sendable {
        package var hasAlpha: Bool
        package var isAnimated: Bool
        package var isLossless: Bool
        /// `nil` where it is not known.
        package var size: PixelSize?

        /// Creates a demand.
        package init(hasAlpha: Bool, isAnimated: Bool, isLossless: Bool, size: PixelSize?) {
            self.hasAlpha = hasAlpha
            self.isAnimated = isAnimated
            self.isLossless = isLossless
            self.size = size
        }
    }

    /// Whether a format takes all of a result.
    package func canEncode(_ format: ImageFormat, _ demand: Demand) -> Bool {
        guard let traits = self[format] else { return false }
        return (traits.hasAlpha || !demand.hasAlpha) && (traits.hasAnimation || !demand.isAnimated)
            && (traits.isLosslessPossible || !demand.isLossless)
            && (demand.size.map { max($0.width, $0.height) <= traits.longestSide } ?? true)
    }
}
