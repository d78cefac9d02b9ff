import CVips

extension Raster {
    /// Runs an operation on the colours alone; alpha is taken off before and put back behind.
    func onColours(_ body: (Raster) throws -> Raster) throws -> Raster {
        guard hasAlpha else { return try body(self) }
        let colours = try body(bands(from: 0, count: bands - 1))
        return try colours.joined(with: bands(from: bands - 1, count: 1))
    }

    /// Looks each value up in a table of 256 for 8 bits, of 65,536 for 16: one for all bands or one a band.
    func mapped(by tables: [[UInt8]]) throws(VipsError) -> Raster {
        let (count, width) = (tables.count, tables[0].count)
        let bytes = (0..<width * count).map { tables[$0 % count][$0 / count] }
        let table = try Raster.bytes(bytes, width: width, height: 1, bands: count)
        return try Raster.make("maplut") { out in unsafe edge_vips_maplut(pointer, &out, table.pointer) }
    }

    /// Looks each value up in what a function makes of 0–255, rounded half up and held within 0–255.
    func mapped(_ curve: (Double) -> Double) throws(VipsError) -> Raster {
        try mapped(by: [(0..<256).map { UInt8(rounding: curve(Double($0))) }])
    }

    /// Looks each value of one 8-bit band up in a table of 256.
    func mapped(toFloats table: [Float]) throws(VipsError) -> Raster {
        let table = try Raster.floats(table, width: 256, height: 1)
        return try Raster.make("maplut") { out in unsafe edge_vips_maplut(pointer, &out, table.pointer) }
    }

    /// One band times each of three factors: three bands.
    func spread(by factors: [Double]) throws(VipsError) -> Raster {
        try Raster.make("recomb") { out in unsafe edge_vips_recomb(pointer, &out, factors, CInt(factors.count), 1) }
    }

    /// Three 8-bit colours by a matrix, rounded half up and held within 0–255.
    func recombined(by matrix: ColourMatrix) throws(VipsError) -> Raster {
        let products = try Raster.make("recomb") { out in
            unsafe edge_vips_recomb(pointer, &out, matrix.factors, 3, 3)
        }
        return try products.linear([1, 1, 1], plus: matrix.addends.map { $0 + 0.5 }, isEightBit: true)
    }

    /// Factor times value plus addend, one of each for all bands or one a band; 8 bits cut off what lies behind the point.
    func linear(_ factors: [Double], plus addends: [Double], isEightBit: Bool = false) throws(VipsError) -> Raster {
        try Raster.make("linear") { out in
            unsafe edge_vips_linear_bands(pointer, &out, factors, addends, CInt(factors.count), isEightBit ? 1 : 0)
        }
    }

    /// Float values rounded half up to 8 bits.
    func roundedToEightBits() throws(VipsError) -> Raster {
        try linear([1], plus: [0.5], isEightBit: true)
    }

    /// The products of two pictures' values; a picture of one band goes with every band of the other.
    func times(_ other: Raster) throws(VipsError) -> Raster {
        try Raster.make("multiply") { out in unsafe edge_vips_multiply(pointer, other.pointer, &out) }
    }

    /// The sums of two pictures' values.
    func plus(_ other: Raster) throws(VipsError) -> Raster {
        try Raster.make("add") { out in unsafe edge_vips_add(pointer, other.pointer, &out) }
    }
}

extension UInt8 {
    /// The nearest value, halves up, of 0–255.
    init(rounding value: Double) {
        self = UInt8(Swift.max(0, Swift.min(255, (value + 0.5).rounded(.down))))
    }
}
