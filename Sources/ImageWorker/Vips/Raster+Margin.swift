import CVips
import ImagePlan

extension Raster {
    /// A premultiplied colour and its alpha, for comparing pixels.
    struct MarginColour: Equatable {
        fileprivate var values: (Int, Int, Int, Int)

        fileprivate init(_ bytes: RawSpan, at offset: Int, bands: Int) {
            var values = (0, 0, 0, 255)
            let alpha = bands == 4 ? Int(bytes.byte(offset + 3)) : 255
            values.0 = Self.scaled(bytes.byte(offset), by: alpha)
            values.1 = Self.scaled(bytes.byte(offset + 1), by: alpha)
            values.2 = Self.scaled(bytes.byte(offset + 2), by: alpha)
            values.3 = alpha
            self.values = values
        }

        private static func scaled(_ value: UInt8, by alpha: Int) -> Int { (Int(value) * alpha + 127) / 255 }

        /// The largest difference of any component.
        fileprivate func distance(to other: MarginColour) -> Int {
            max(
                max(abs(values.0 - other.values.0), abs(values.1 - other.values.1)),
                max(abs(values.2 - other.values.2), abs(values.3 - other.values.3))
            )
        }

        static func == (left: MarginColour, right: MarginColour) -> Bool { left.values == right.values }
    }

    /// Returns the top left pixel of an 8-bit sRGB image.
    func cornerColour() throws -> MarginColour {
        let bands = bands
        return try cropped(left: 0, top: 0, width: 1, height: 1).withBytes { MarginColour($0, at: 0, bands: bands) }
    }

    /// Returns the smallest rectangle with all pixels that differ from a colour by more than `threshold`; `nil` without any.
    ///
    /// libvips' find_trim is not used, since its median filter removes single pixels and thin lines.
    func content(against colour: MarginColour, threshold: Int) throws -> PixelRectangle? {
        let (width, height, bands) = (width, height, bands)
        return try withBytes { bytes in
            func differs(_ x: Int, _ y: Int) -> Bool {
                let pixel = MarginColour(bytes, at: (y * width + x) * bands, bands: bands)
                return pixel.distance(to: colour) > threshold
            }
            func rowDiffers(_ y: Int) -> Bool { (0..<width).contains { differs($0, y) } }
            guard let top = (0..<height).first(where: rowDiffers) else { return nil }
            let bottom = (top..<height).last(where: rowDiffers) ?? top
            // Within these rows, examine only pixels left and right of the known content.
            var left = width
            var right = -1
            for y in top...bottom {
                if let first = (0..<left).first(where: { differs($0, y) }) { left = first }
                if let last = (right + 1..<width).last(where: { differs($0, y) }) { right = last }
            }
            return PixelRectangle(left: left, top: top, width: right - left + 1, height: bottom - top + 1)
        }
    }
}

extension RawSpan {
    /// The byte at an offset.
    fileprivate func byte(_ offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
