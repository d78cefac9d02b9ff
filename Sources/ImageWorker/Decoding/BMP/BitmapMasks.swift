import ImagePlan

/// Where the channels of a 16- or 32-bit pixel are (BI_BITFIELDS).
struct BitmapMasks: Hashable {
    /// A run of bits.
    struct Channel: Hashable {
        let shift: Int
        /// Bits, 0–32.
        let width: Int

        static let none = Channel(shift: 0, width: 0)

        init(shift: Int, width: Int) {
            self.shift = shift
            self.width = width
        }

        /// Reads a mask, whose bits must stand together.
        init(_ mask: Int) throws(WorkerReply.Failure) {
            let bits = UInt32(truncatingIfNeeded: mask)
            guard bits != 0 else {
                self = .none
                return
            }
            let shift = bits.trailingZeroBitCount
            let run = bits >> UInt32(shift)
            guard run & (run &+ 1) == 0 else { throw .broken("a bitmap's mask with holes") }
            self.init(shift: shift, width: run.nonzeroBitCount)
        }

        /// The channel of a pixel in 0–255; `nil` where the pixel has none.
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

    /// 16 bits that say nothing else.
    static let fiveBits = BitmapMasks(
        red: Channel(shift: 10, width: 5),
        green: Channel(shift: 5, width: 5),
        blue: Channel(shift: 0, width: 5),
        alpha: .none
    )
    /// 32 bits that say nothing else: the fourth byte means nothing.
    static let eightBits = BitmapMasks(
        red: Channel(shift: 16, width: 8),
        green: Channel(shift: 8, width: 8),
        blue: Channel(shift: 0, width: 8),
        alpha: .none
    )
    /// 32 bits of an icon.
    static let eightBitsAndAlpha = BitmapMasks(
        red: Channel(shift: 16, width: 8),
        green: Channel(shift: 8, width: 8),
        blue: Channel(shift: 0, width: 8),
        alpha: Channel(shift: 24, width: 8)
    )
}
