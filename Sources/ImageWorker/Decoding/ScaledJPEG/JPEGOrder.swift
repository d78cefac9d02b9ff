/// The orders of a block's 64 coefficients.
enum JPEGOrder {
    /// For each zigzag position, column + 8 · row of the frequency (ITU-T T.81 figure 5).
    static let zigzag: [Int] = {
        var order: [Int] = []
        for diagonal in 0..<15 {
            let rows = Array(max(0, diagonal - 7)...min(7, diagonal))
            // Odd diagonals run downwards.
            for row in diagonal.isMultiple(of: 2) ? rows.reversed() : rows {
                order.append(8 * row + diagonal - row)
            }
        }
        return order
    }()
    /// For each zigzag position, the index at which a coefficient is stored: blocks are stored by columns, as the DCT leaves them.
    static let stored: [Int] = zigzag.map { $0 % 8 * 8 + $0 / 8 }
    /// For each stored column and each byte of its nonzero coefficients, the bits of their zigzag positions.
    static let spread: [UInt64] = {
        var table = [UInt64](repeating: 0, count: 8 * 256)
        for (position, place) in stored.enumerated() {
            for byte in 0..<256 where byte >> (place % 8) & 1 == 1 {
                table[place / 8 * 256 + byte] |= 1 << UInt64(position)
            }
        }
        return table
    }()
}
