import CVips

extension Raster {
    /// Runs an operation on the colour bands alone and keeps alpha.
    func onColours(_ body: (Raster) throws -> Raster) throws -> Raster {
        guard hasAlpha else { return try body(self) }
        let colours = try body(bands(from: 0, count: bands - 1))
        return try colours.joined(with: bands(from: bands - 1, count: 1))
    }

    /// Maps each value by a table of 256 values for 8 bits or up to 65,536 for 16: one for all bands, or one per band.
    func mapped(by tables: [[UInt8]]) throws(VipsError) -> Raster {
        let (count, width) = (tables.count, tables[0].count)
        let bytes = (0..<width * count).map { tables[$0 % count][$0 / count] }
        let table = try Raster.bytes(bytes, width: width, height: 1, bands: count)
        return try Raster.make("maplut") { out in unsafe edge_vips_maplut(pointer, &out, table.pointer) }
    }

    /// Maps each value of 0–255 by a function, rounded half up and clamped to 0–255.
    func mapped(_ curve: (Double) -> Double) throws(VipsError) -> Raster {
        try mapped(by: [(0..<256).map { UInt8(rounding: curve(Double($0))) }])
    }

    /// Maps each value of one 8-bit band by a table of 256 floats.
    func mapped(toFloats table: [Float]) throws(VipsError) -> Raster {
        let table = try Raster.floats(table, width: 256, height: 1)
        return try Raster.make("maplut") { out in unsafe edge_vips_maplut(pointer, &out, table.pointer) }
    }

    /// Maps each value by a table of floats, 256 for 8 bits or up to 65,536 for 16: one for all bands, or one per band.
    func mapped(toFloatsByBand tables: [[Float]]) throws(VipsError) -> Raster {
        let (count, width) = (tables.count, tables[0].count)
        let values = count == 1 ? tables[0] : (0..<width * count).map { tables[$0 % count][$0 / count] }
        let table = try Raster.floats(values, width: width, height: 1, bands: count)
        return try Raster.make("maplut") { out in unsafe edge_vips_maplut(pointer, &out, table.pointer) }
    }

    /// Multiplies one band by three factors, which gives three bands.
    func spread(by factors: [Double]) throws(VipsError) -> Raster {
        try Raster.make("recomb") { out in unsafe edge_vips_recomb(pointer, &out, factors, CInt(factors.count), 1) }
    }

    /// Applies a matrix to three bands, row by row, which gives floats.
    func mixed(byRows factors: [Double]) throws(VipsError) -> Raster {
        try Raster.make("recomb") { out in unsafe edge_vips_recomb(pointer, &out, factors, 3, 3) }
    }

    /// Adds three bands, each times a factor, which gives one band.
    func mixed(by factors: [Double]) throws(VipsError) -> Raster {
        try Raster.make("recomb") { out in unsafe edge_vips_recomb(pointer, &out, factors, 1, CInt(factors.count)) }
    }

    /// Applies a matrix to three 8-bit colour bands, rounded half up and clamped to 0–255.
    func recombined(by matrix: ColourMatrix) throws(VipsError) -> Raster {
        let products = try Raster.make("recomb") { out in
            unsafe edge_vips_recomb(pointer, &out, matrix.factors, 3, 3)
        }
        return try products.linear([1, 1, 1], plus: matrix.addends.map { $0 + 0.5 }, isEightBit: true)
    }

    /// Multiplies by factors and adds addends, one for all bands or one per band; 8-bit results are truncated.
    func linear(_ factors: [Double], plus addends: [Double], isEightBit: Bool = false) throws(VipsError) -> Raster {
        try Raster.make("linear") { out in
            unsafe edge_vips_linear_bands(pointer, &out, factors, addends, CInt(factors.count), isEightBit ? 1 : 0)
        }
    }

    /// Rounds floats half up to 8 bits.
    func roundedToEightBits() throws(VipsError) -> Raster {
        try linear([1], plus: [0.5], isEightBit: true)
    }

    /// Multiplies two images; an image of one band applies to every band of the other.
    func times(_ other: Raster) throws(VipsError) -> Raster {
        try Raster.make("multiply") { out in unsafe edge_vips_multiply(pointer, other.pointer, &out) }
    }

    /// Adds two images.
    func plus(_ other: Raster) throws(VipsError) -> Raster {
        try Raster.make("add") { out in unsafe edge_vips_add(pointer, other.pointer, &out) }
    }
}

extension UInt8 {
    /// Rounds half up and clamps to 0–255.
    init(rounding value: Double) {
        self = UInt8(Swift.max(0, Swift.min(255, (value + 0.5).rounded(.down))))
    }
}
