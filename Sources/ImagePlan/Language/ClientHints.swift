/// A request field that states the display size of an image (Client Hints, RFC 8942; Responsive Image Client Hints, WICG).
package enum ClientHint: String, Hashable, Sendable, CaseIterable {
    /// `Sec-CH-Width`: the display width in device pixels.
    case width
    /// `Sec-CH-DPR`: device pixels per CSS pixel.
    case dpr
    /// `Sec-CH-Viewport-Width`: the viewport width in CSS pixels.
    case viewportWidth = "viewport-width"
}

/// The widths and ratios that hints are rounded to, which limits the number of variants.
package struct HintLadder: Hashable, Sendable {
    /// The widths in device pixels, ascending; at least one.
    package var widths: [Int]
    /// The device pixel ratios, 1–4, ascending; at least one.
    package var ratios: [FixedDecimal]
    /// The width without a hint.
    package var defaultWidth: Int

    /// The maximum length of each list.
    package static let maximumRungs = 32

    /// Creates a ladder, with the configuration's defaults for everything not given.
    package init(
        widths: [Int] = [320, 480, 640, 800, 1_080, 1_440, 1_920, 2_560, 3_840],
        ratios: [FixedDecimal] = [
            FixedDecimal(1), FixedDecimal(millionths: 1_500_000), FixedDecimal(2), FixedDecimal(3),
        ],
        defaultWidth: Int = 1_080
    ) {
        self.widths = widths
        self.ratios = ratios
        self.defaultWidth = defaultWidth
    }

    /// The smallest width of the ladder that is at least `wanted`; the largest if there is none.
    package func width(for wanted: Int) -> Int { widths.first { $0 >= wanted } ?? widths.last ?? defaultWidth }

    /// The smallest ratio of the ladder that is at least `wanted`; the largest if there is none.
    package func ratio(for wanted: FixedDecimal) -> FixedDecimal {
        ratios.first { $0 >= wanted } ?? ratios.last ?? FixedDecimal(1)
    }
}

/// The values of `w=auto` and `dpr=auto` for one request.
package struct HintValues: Hashable, Sendable {
    /// The value of `w=auto` in device pixels, not scaled by dpr.
    package var width: Int
    /// The value of `dpr=auto`.
    package var ratio: FixedDecimal

    /// Creates values.
    package init(width: Int, ratio: FixedDecimal) {
        self.width = width
        self.ratio = ratio
    }
}

/// The client hint settings of a source.
package struct ClientHintOptions: Hashable, Sendable {
    /// The hint fields to use.
    package var fields: Set<ClientHint>
    package var ladder: HintLadder
    /// The values of `auto`: the defaults until a request's hints replace them.
    package var values: HintValues

    /// Creates options with the ladder's default width and a ratio of 1.
    package init(fields: Set<ClientHint>, ladder: HintLadder) {
        self.fields = fields
        self.ladder = ladder
        values = HintValues(width: ladder.defaultWidth, ratio: FixedDecimal(1))
    }

    /// The value of a parameter that is `auto`, with the hint it depends on; `nil` if it cannot be `auto`.
    func value(of name: String) -> (hint: ClientHint, parameter: Parameter)? {
        switch name {
        case "w" where !fields.isDisjoint(with: [.width, .viewportWidth]):
            (.width, Parameter(name, String(values.width), isInDevicePixels: true, isAutomatic: true))
        case StepContext.dprName where fields.contains(.dpr):
            (.dpr, Parameter(name, values.ratio.text, isInDevicePixels: false, isAutomatic: true))
        default:
            nil
        }
    }
}
