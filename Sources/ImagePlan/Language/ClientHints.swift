/// A field of the request that says how large a picture is shown (Client Hints, RFC 8942; Responsive Image Client Hints, WICG).
package enum ClientHint: String, Hashable, Sendable, CaseIterable {
    /// `Sec-CH-Width`: how wide the picture is shown, in device pixels.
    case width
    /// `Sec-CH-DPR`: device pixels of a CSS pixel.
    case dpr
    /// `Sec-CH-Viewport-Width`: how wide the window is, in CSS pixels.
    case viewportWidth = "viewport-width"
}

/// The widths and ratios that hints come to, so that variants stay few.
package struct HintLadder: Hashable, Sendable {
    /// Device pixels, ascending; at least one.
    package var widths: [Int]
    /// 1–4, ascending; at least one.
    package var ratios: [FixedDecimal]
    /// The width where no hint tells one.
    package var defaultWidth: Int

    /// The most rungs of each list.
    package static let mostRungs = 32

    /// Creates a ladder; the configuration's defaults where nothing is given.
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

    /// The rung that is as wide as wanted, or the next wider one; the widest for what is wider still.
    package func width(for wanted: Int) -> Int { widths.first { $0 >= wanted } ?? widths.last ?? defaultWidth }

    /// The rung of a ratio, or the next higher one; the highest for what is higher still.
    package func ratio(for wanted: FixedDecimal) -> FixedDecimal {
        ratios.first { $0 >= wanted } ?? ratios.last ?? FixedDecimal(1)
    }
}

/// What `auto` stands for in one request.
package struct HintValues: Hashable, Sendable {
    /// For `w=auto`, in device pixels: `dpr` does not multiply it.
    package var width: Int
    /// For `dpr=auto`.
    package var ratio: FixedDecimal

    /// Creates values.
    package init(width: Int, ratio: FixedDecimal) {
        self.width = width
        self.ratio = ratio
    }
}

/// What a source makes of `w=auto` and `dpr=auto`.
package struct ClientHintOptions: Hashable, Sendable {
    /// The fields that it looks at.
    package var fields: Set<ClientHint>
    package var ladder: HintLadder
    /// What `auto` stands for; where no field tells, unless a request is read for one that does.
    package var values: HintValues

    /// Creates options under which no field tells anything.
    package init(fields: Set<ClientHint>, ladder: HintLadder) {
        self.fields = fields
        self.ladder = ladder
        values = HintValues(width: ladder.defaultWidth, ratio: FixedDecimal(1))
    }

    /// The parameters that may be `auto`, and what they are then.
    func value(of name: String) -> (hint: ClientHint, parameter: Parameter)? {
        switch name {
        case "w" where !fields.isDisjoint(with: [.width, .viewportWidth]):
            (.width, Parameter(name, String(values.width), isInDevicePixels: true))
        case StepContext.dprName where fields.contains(.dpr):
            (.dpr, Parameter(name, values.ratio.text))
        default:
            nil
        }
    }
}
