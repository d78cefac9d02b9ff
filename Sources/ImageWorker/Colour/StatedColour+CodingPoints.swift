/// The code points of ITU-T H.273 (CICP).
extension StatedColour {
    /// Creates colours from code points; `nil` if either is reserved or does not apply to RGB.
    ///
    /// 2, "unspecified", counts as sRGB. The curves of BT.709, BT.2020 and BT.601 count as sRGB's, since browsers show still images
    /// that name them so.
    init?(primaries: Int, transfer: Int, isFullRange: Bool = true) {
        guard let primaries = Primaries(codingPoint: primaries), let transfer = Transfer(codingPoint: transfer) else {
            return nil
        }
        self.init(primaries: primaries, transfer: transfer, isFullRange: isFullRange)
    }
}

extension StatedColour.Primaries {
    /// H.273 table 2.
    fileprivate init?(codingPoint: Int) {
        let (d65, c): (SIMD2<Double>, SIMD2<Double>) = ([0.3127, 0.3290], [0.310, 0.316])
        switch codingPoint {
        case 1, 2: self = .sRGB
        case 4: self.init(red: [0.67, 0.33], green: [0.21, 0.71], blue: [0.14, 0.08], white: c)
        case 5: self.init(red: [0.64, 0.33], green: [0.29, 0.60], blue: [0.15, 0.06], white: d65)
        case 6, 7: self.init(red: [0.630, 0.340], green: [0.310, 0.595], blue: [0.155, 0.070], white: d65)
        case 8: self.init(red: [0.681, 0.319], green: [0.243, 0.692], blue: [0.145, 0.049], white: c)
        case 9: self.init(red: [0.708, 0.292], green: [0.170, 0.797], blue: [0.131, 0.046], white: d65)
        case 11:
            self.init(red: [0.680, 0.320], green: [0.265, 0.690], blue: [0.150, 0.060], white: [0.314, 0.351])
        case 12: self.init(red: [0.680, 0.320], green: [0.265, 0.690], blue: [0.150, 0.060], white: d65)
        case 22: self.init(red: [0.630, 0.340], green: [0.295, 0.605], blue: [0.155, 0.077], white: d65)
        default: return nil
        }
    }
}

extension StatedColour.Transfer {
    /// H.273 table 3.
    fileprivate init?(codingPoint: Int) {
        switch codingPoint {
        case 1, 2, 6, 7, 11, 12, 13, 14, 15: self = .sRGB
        case 4: self = .gamma(2.2)
        case 5: self = .gamma(2.8)
        case 8: self = .gamma(1)
        case 16: self = .perceptualQuantizer
        case 17: self = .gamma(2.6)
        case 18: self = .hybridLogGamma
        default: return nil
        }
    }
}
