import CVips
import ImagePlan

extension VignetteFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        let (width, height) = (colours.width, colours.height)
        let square = Double(width * width + height * height)
        let distance = try Raster.grid(
            columns: Self.squares(length: width, dividedBy: square),
            rows: Self.squares(length: height, dividedBy: square)
        )
        let light = try distance.times(distance).linear([-strength.value], plus: [1])
        return try colours.times(light).roundedToEightBits()
    }

    /// The squared distances of pixel centres from the middle of a line, relative to a corner's.
    private static func squares(length: Int, dividedBy square: Double) -> [Float] {
        (0..<length).map { index in
            let distance = Double(2 * index + 1 - length)
            return Float(distance * distance / square)
        }
    }
}

extension DuotoneFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        try colours.recombined(by: .lumaRamp(from: dark.colourValues, to: light.colourValues))
    }
}

extension GrayscaleFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        try colours.recombined(by: .lumaRamp(from: [0, 0, 0], to: [255, 255, 255]))
    }
}

extension InvertFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster { try colours.mapped { 255 - $0 } }
}

extension MonochromeFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        try colours.recombined(by: .lumaRamp(from: [0, 0, 0], to: color.colourValues))
    }
}

extension ChromaFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        let light = try (0..<3).map { band in
            try colours.bands(from: band, count: 1).mapped(toFloats: SRGBTransfer.linear.map { Float($0) })
        }
        let luminance = try light[0].joined(with: light[1]).joined(with: light[2]).mixed(by: ColourMatrix.luma)
        let levels = try luminance.linear([Double(CIELABTone.white)], plus: [0.5]).cast(to: VIPS_FORMAT_USHORT)
        return try levels.mapped(by: CIELABTone(chromaOf: color).tables)
    }
}

extension SepiaFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        try colours.recombined(
            by: ColourMatrix(factors: [0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131])
        )
    }
}
