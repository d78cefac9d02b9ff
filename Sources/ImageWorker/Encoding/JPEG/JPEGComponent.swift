import ImagePlan

/// The quantised coefficients of one component of a JPEG, block by block.
@safe
final class JPEGComponent {
    /// The sampling factor in both directions.
    let sampling: Int
    /// The blocks that show a part of the picture.
    let columns: Int
    let rows: Int
    /// The blocks of a row with those that fill the last MCU.
    let storedColumns: Int
    let storedRows: Int
    /// 64 coefficients a block in the order of `JPEGOrder.stored`.
    let coefficients: Samples<Int16>
    /// For each block, bit k is set if the coefficient at the zigzag position k > 0 is not zero.
    let nonzero: Samples<UInt64>
    /// For each zigzag position, the index of the coefficient in its block.
    let order = Samples(JPEGOrder.stored)

    /// Creates a component of zeros.
    ///
    /// - Parameters:
    ///   - size: the component's own samples.
    ///   - mcus: the MCUs in both directions.
    init(_ size: PixelSize, sampling: Int, mcus: (columns: Int, rows: Int)) {
        self.sampling = sampling
        columns = (size.width + 7) / 8
        rows = (size.height + 7) / 8
        storedColumns = mcus.columns * sampling
        storedRows = mcus.rows * sampling
        coefficients = Samples(count: storedColumns * storedRows * 64)
        nonzero = Samples(count: storedColumns * storedRows)
    }

    /// Whether all coefficients are zero: the decoded samples are all 128.
    var isZero: Bool {
        (0..<storedColumns * storedRows).allSatisfy { block in
            unsafe nonzero.start[block] == 0 && coefficients.start[block * 64] == 0
        }
    }
}
