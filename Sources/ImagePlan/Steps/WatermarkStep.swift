/// `watermark`: overlays another image or a line of text.
///
/// `SOURCE/PATH,place,x,y,scale,opacity` or `text:TEXT,place,x,y,size,opacity,colour,font`; missing and empty parts take their
/// defaults.
package struct WatermarkStep: SingleParameterStep {
    package static let name = "watermark"
    package static let example = MarkText.prefix + "Edgeprint,southeast,16,16,32,0.7"

    /// A text or an image with its place.
    package static let form: ValueForm = {
        let place: [ValueForm.Item] = [
            ValueForm.Item("place", .choice(Place.allCases.map(\.rawValue))), ValueForm.Item("x", .measure),
            ValueForm.Item("y", .measure),
        ]
        let opacity = ValueForm.Item("opacity", .decimal(opacities))
        let text = [ValueForm.Item("text", .text(prefix: MarkText.prefix))] + place
        let image = [ValueForm.Item("image", .text())] + place
        return .either([
            ValueForm.Item(
                "text",
                .list(
                    text + [
                        ValueForm.Item("size", .decimal(MarkText.sizes, .pixels)), opacity,
                        ValueForm.Item("colour", .color), ValueForm.Item("font", .text()),
                    ],
                    required: 1
                )
            ),
            ValueForm.Item("image", .list(image + [ValueForm.Item("scale", .text()), opacity], required: 1)),
        ])
    }()

    private static let opacities = FixedDecimal(0)...FixedDecimal(1)

    /// The position of the watermark.
    package enum Place: String, Hashable, Sendable, CaseIterable {
        case center, north, south, west, east, northwest, northeast, southwest, southeast
        /// Repeated over the whole image, from the top left corner.
        case tile
    }

    /// The scale of an image watermark, never larger than the image below it.
    package enum Scale: Hashable, Sendable {
        /// A multiple of the watermark's own size, 0.01–16, after dpr scaling.
        case own(FixedDecimal)
        /// The largest size that fits this fraction of the image's width and height, more than 0 and up to 1.
        case fraction(FixedDecimal)
    }

    /// The overlay.
    package enum Mark: Hashable, Sendable {
        case picture(AuxiliaryPath, Scale)
        case text(MarkText)
    }

    package let mark: Mark
    package let place: Place
    /// The horizontal offset: inwards from an edge, right of the centre, or the gap between tiles.
    package let x: Measure
    /// The vertical offset: inwards from an edge, below the centre, or the gap between tiles.
    package let y: Measure
    /// More than 0, up to 1.
    package let opacity: FixedDecimal

    /// Creates the step.
    package init(
        mark: Mark,
        place: Place = .center,
        x: Measure = .pixels(0),
        y: Measure = .pixels(0),
        opacity: FixedDecimal = FixedDecimal(1)
    ) {
        self.mark = mark
        self.place = place
        self.x = x
        self.y = y
        self.opacity = opacity
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let parts = parameter.parts(separatedBy: ",")
        /// A part that is present and not empty.
        func part(_ index: Int) -> Parameter? {
            index < parts.count && !parts[index].value.isEmpty ? parts[index] : nil
        }
        let isText = MarkText.isStated(parts[0].value)
        guard parts.count <= (isText ? 8 : 6) else {
            throw parameter.error(
                isText
                    ? "takes text:TEXT,place,x,y,size,opacity,colour,font; write a comma in the text as %2C, then encode the value again"
                    : "takes SOURCE/PATH,place,x,y,scale,opacity; write a comma in the path as %2C, then encode the value again"
            )
        }
        place = try part(1)?.keyword() ?? .center
        x = try part(2).map { (x) throws(RequestError) in try Self.offset(x, in: context) } ?? .pixels(0)
        y = try part(3).map { (y) throws(RequestError) in try Self.offset(y, in: context) } ?? .pixels(0)
        if place == .tile, x.isNegative || y.isNegative {
            throw parameter.error("has a negative gap between tiles")
        }
        opacity = try part(5)?.decimal(in: Self.opacities) ?? FixedDecimal(1)
        if isText {
            mark = .text(
                try MarkText(
                    parsing: parts[0],
                    size: part(4),
                    color: part(6),
                    font: part(7),
                    in: context
                )
            )
        } else {
            mark = .picture(
                try AuxiliaryPath(parsing: parts[0]),
                try Scale(parsing: part(4), of: parameter, in: context)
            )
        }
        if opacity == FixedDecimal(0) { return nil }
    }

    /// Parses an offset of either sign: pixels (scaled by dpr) or percent of the image's side.
    private static func offset(_ part: Parameter, in context: StepContext) throws(RequestError) -> Measure {
        let stated = try Measure(coordinate: part)
        guard case .pixels(let pixels) = stated else {
            return stated == .percent(FixedDecimal(0)) ? .pixels(0) : stated
        }
        let length = FixedDecimal(Int(pixels.magnitude))
        let scaled = try context.scaled(length, of: part, atMost: Measure.longestSide).rounded
        return .pixels(pixels < 0 ? -scaled : scaled)
    }

    package var value: String {
        var fields: [String]
        let none = Measure.pixels(0)
        let common = [
            place == .center ? "" : place.rawValue, x == none ? "" : x.text, y == none ? "" : y.text,
        ]
        let opacity = opacity == FixedDecimal(1) ? "" : opacity.text
        switch mark {
        case .picture(let path, let scale): fields = [path.text] + common + [scale.text, opacity]
        case .text(let text): fields = [text.escaped] + common + [text.sizeText, opacity] + text.lookTexts
        }
        while fields.last?.isEmpty == true { fields.removeLast() }
        return fields.joined(separator: ",")
    }

    package var auxiliary: AuxiliaryPath? {
        if case .picture(let path, _) = mark { path } else { nil }
    }

    package var font: String? {
        if case .text(let text) = mark { text.font } else { nil }
    }

    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }
}

extension WatermarkStep.Scale {
    /// Parses `0.2` (a fraction of the image), `1.5x` (a multiple of its own size, scaled by dpr), or `0` (its own size).
    init(parsing part: Parameter?, of parameter: Parameter, in context: StepContext) throws(RequestError) {
        let natural = FixedDecimal(1)
        guard let part, FixedDecimal(parsing: part.value) != FixedDecimal(0) else {
            self = .own(natural * context.dpr)
            return
        }
        if part.value.hasSuffix("x") {
            let number = Parameter(part.name, String(part.value.dropLast()))
            guard let factor = FixedDecimal(parsing: number.value), factor >= FixedDecimal(millionths: 10_000),
                factor <= FixedDecimal(Self.largest)
            else { throw parameter.error("has a scale that must be 0.01x to \(Self.largest)x, or a fraction up to 1") }
            self = .own(try context.scaled(factor, of: number, atMost: Self.largest))
            return
        }
        guard let fraction = FixedDecimal(parsing: part.value), fraction > FixedDecimal(0), fraction <= natural else {
            throw parameter.error("has a scale that must be a fraction of the image, 0 to 1, or a multiple such as 2x")
        }
        self = .fraction(fraction)
    }

    private static let largest = 16

    /// The canonical text; empty for the overlay's own size.
    var text: String {
        switch self {
        case .own(let factor): factor == FixedDecimal(1) ? "" : factor.text + "x"
        case .fraction(let fraction): fraction.text
        }
    }
}

extension Measure {
    /// Whether the coordinate is negative.
    fileprivate var isNegative: Bool {
        switch self {
        case .pixels(let pixels): pixels < 0
        case .percent(let percent): percent < FixedDecimal(0)
        }
    }
}

extension WatermarkStep {
    /// The size of the overlay: its own aspect ratio, at least one pixel, and never larger than the image.
    ///
    /// - Parameter mark: the overlay's size after EXIF orientation; for a text, the size of its ink.
    package func size(of mark: PixelSize, on picture: PixelSize) -> PixelSize {
        let across = Double(picture.width) / Double(mark.width)
        let down = Double(picture.height) / Double(mark.height)
        let whole = min(across, down)
        let factor =
            switch self.mark {
            case .picture(_, .own(let factor)): min(factor.value, whole)
            case .picture(_, .fraction(let fraction)): whole * fraction.value
            case .text: min(1, whole)
            }
        return PixelSize(
            width: Self.side(Double(mark.width) * factor, atMost: picture.width),
            height: Self.side(Double(mark.height) * factor, atMost: picture.height)
        )
    }

    private static func side(_ length: Double, atMost limit: Int) -> Int {
        max(1, min(limit, Int((length + 0.5).rounded(.down))))
    }

    /// The top left corner of an overlay, possibly outside the image; not for tiles.
    package func corner(of size: PixelSize, on picture: PixelSize) -> (left: Int, top: Int) {
        let (x, y) = (x.coordinate(in: picture.width), y.coordinate(in: picture.height))
        let left =
            switch place {
            case .west, .northwest, .southwest, .tile: x
            case .center, .north, .south: (picture.width - size.width).flooredQuotient(2) + x
            case .east, .northeast, .southeast: picture.width - size.width - x
            }
        let top =
            switch place {
            case .north, .northwest, .northeast, .tile: y
            case .center, .west, .east: (picture.height - size.height).flooredQuotient(2) + y
            case .south, .southwest, .southeast: picture.height - size.height - y
            }
        return (left, top)
    }

    /// A tile with the gaps to its right and below; capped at what a single tile on the image needs.
    package func cell(of size: PixelSize, on picture: PixelSize) -> PixelSize {
        let (x, y) = (x.coordinate(in: picture.width), y.coordinate(in: picture.height))
        return PixelSize(
            width: min(size.width + x, max(size.width, picture.width)),
            height: min(size.height + y, max(size.height, picture.height))
        )
    }
}
