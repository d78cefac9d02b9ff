/// A coordinate or side: whole pixels, or a percentage of the image's side.
package enum Measure: Hashable, Sendable {
    case pixels(Int)
    /// 0–100 for sides, −100–100 for coordinates.
    case percent(FixedDecimal)

    /// The largest coordinate or side in pixels.
    package static let longestSide = 1_000_000
}

extension Measure {
    private static let hundred = FixedDecimal(100)

    /// Parses a coordinate: whole pixels or percent, possibly negative.
    init(coordinate parameter: Parameter) throws(RequestError) {
        self = try Self.read(
            parameter,
            pixels: -Self.longestSide...Self.longestSide,
            percent: FixedDecimal(-100)...Self.hundred
        )
    }

    /// Parses a width or height: whole pixels or percent, more than 0.
    init(side parameter: Parameter) throws(RequestError) {
        self = try Self.read(
            parameter,
            pixels: 1...Self.longestSide,
            percent: FixedDecimal(millionths: 1)...Self.hundred
        )
    }

    private static func read(
        _ parameter: Parameter,
        pixels: ClosedRange<Int>,
        percent: ClosedRange<FixedDecimal>
    ) throws(RequestError) -> Self {
        guard parameter.value.hasSuffix("%") else {
            return .pixels(try parameter.integer(in: pixels))
        }
        return .percent(try parameter.percentage(in: percent))
    }

    /// The coordinate with pixels multiplied by a factor that is not negative.
    func scaled(by factor: FixedDecimal) -> Self {
        guard case .pixels(let pixels) = self else { return self }
        let length = min((FixedDecimal(abs(pixels)) * factor).rounded, Self.longestSide)
        return .pixels(pixels < 0 ? -length : length)
    }

    var isZero: Bool {
        switch self {
        case .pixels(let pixels): pixels == 0
        case .percent(let percent): percent.millionths == 0
        }
    }

    var text: String {
        switch self {
        case .pixels(let pixels): String(pixels)
        case .percent(let percent): percent.text + "%"
        }
    }

    /// The coordinate in pixels, rounded half up.
    func coordinate(in length: Int) -> Int {
        switch self {
        case .pixels(let pixels): pixels
        case .percent(let percent): (percent.millionths * length + 50_000_000).flooredQuotient(100_000_000)
        }
    }

    /// The side in pixels, rounded half up, at least 1.
    package func side(in length: Int) -> Int {
        switch self {
        case .pixels(let pixels): pixels
        case .percent(let percent): .side(percent.millionths * length, dividedBy: 100_000_000)
        }
    }
}
