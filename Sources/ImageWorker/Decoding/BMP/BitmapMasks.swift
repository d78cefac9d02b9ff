import ImagePlan

/// The bit masks of the channels of a 16- or 32-bit pixel (BI_BITFIELDS).
struct BitmapMasks: Hashable {
    /// A contiguous range of bits.
    struct Channel: Hashable {
        let shift: Int
        /// The number of bits, 0–32.
        let width: Int

        static let none = Channel(shift: 0, width: 0)

        init(shift: Int, width: Int) {
            self.shift = shift
            self.width = width
        }

        /// Parses a mask, whose bits must be contiguous.
        init(_ mask: Int) throws(WorkerReply.Failure) {
            let bits = UInt32(truncatingIfNeeded: mask)
            guard bits != 0 else {
                self = .none
                return
            }
            let shift = bits.trailingZeroBitCount
            let run = bits >> UInt32(shift)
            guard run & (run &+ 1) == 0 else { throw .broken("a bitmap mask is not contiguous") }
            self.init(shift: shift, width: run.nonzeroBitCount)
        }

        /// Returns the channel of a pixel, scaled to 0–255; `nil` for a channel without bits.
        func value(of pixel: UInt32) -> UInt8? {
            guard width > 0 else { return nil }
            let value = (pixel >> UInt32(shift)) & (width == 32 ? .max : 1 << UInt32(width) - 1)
            if width == 8 { return UInt8(value) }
            if width > 8 { return UInt8(truncatingIfNeeded: value >> UInt32(width - 8)) }
            let largest = UInt32(1) << UInt32(width) - 1
            return UInt8((value * 255 + largest / 2) / largest)
        }
    }

    var red: Channel
    var green: Channel
    var blue: Channel
    var alpha: Channel

    /// The default masks of 16 bits.
    static let fiveBits = BitmapMasks(
        red: Channel(shift: 10, width: 5),
        green: Channel(shift: 5, width: 5),
        blue: Channel(shift: 0, width: 5),
        alpha: .none
    )
    /// The default masks of 32 bits, whose fourth byte is ignored.
    static let eightBits = BitmapMasks(
        red: Channel(shift: 16, width: 8),
        green: Channel(shift: 8, width: 8),
        blue: Channel(shift: 0, width: 8),
        alpha: .none
    )
    /// The masks of 32-bit icons.
    static let eightBitsAndAlpha = BitmapMasks(
        red: Channel(shift: 16, width: 8),
        green: Channel(shift: 8, width: 8),
        blue: Channel(shift: 0, width: 8),
        alpha: Channel(shift: 24, width: 8)
    )
}
