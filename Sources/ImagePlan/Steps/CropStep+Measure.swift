extension CropStep.Measure {
    private static let hundred = FixedDecimal(100)

    /// Reads where a rectangle begins: whole pixels or percent, also left of or above the picture.
    init(coordinate parameter: Parameter) throws(RequestError) {
        self = try Self.read(
            parameter,
            pixels: -CropStep.longestSide...CropStep.longestSide,
            percent: FixedDecimal(-100)...Self.hundred
        )
    }

    /// Reads how wide or high a rectangle is: whole pixels or percent, more than nothing.
    init(side parameter: Parameter) throws(RequestError) {
        self = try Self.read(
            parameter,
            pixels: 1...CropStep.longestSide,
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
        return .percent(try Parameter(parameter.name, String(parameter.value.dropLast())).decimal(in: percent))
    }

    var text: String {
        switch self {
        case .pixels(let pixels): String(pixels)
        case .percent(let percent): percent.text + "%"
        }
    }

    /// Pixels from the picture's edge, rounded half up.
    func coordinate(in length: Int) -> Int {
        switch self {
        case .pixels(let pixels): pixels
        case .percent(let percent): (percent.millionths * length + 50_000_000).flooredQuotient(100_000_000)
        }
    }

    /// Pixels, max(1, rounded half up).
    func side(in length: Int) -> Int {
        switch self {
        case .pixels(let pixels): pixels
        case .percent(let percent): .side(percent.millionths * length, dividedBy: 100_000_000)
        }
    }
}
