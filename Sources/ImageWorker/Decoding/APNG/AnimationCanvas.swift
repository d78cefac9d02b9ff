/// The canvas of an animation in RGBA, onto which frames are composed (W3C PNG, third edition, §11.3.6.2).
struct AnimationCanvas {
    private let width: Int
    /// The pixels row by row, four bytes per pixel, not premultiplied.
    private var pixels: [UInt8]

    /// Creates a transparent canvas.
    init(width: Int, height: Int) {
        self.width = width
        pixels = [UInt8](repeating: 0, count: width * height * 4)
    }

    /// Composes a frame onto the canvas, returns the result and disposes of the frame.
    ///
    /// - Parameter part: the frame's pixels, four bytes each; the frame must be within the canvas.
    mutating func show(
        _ part: [UInt8],
        of frame: AnimatedPNG.Frame,
        _ disposal: AnimatedPNG.Disposal,
        _ give: ([UInt8]) throws -> Void
    ) rethrows {
        let before = disposal == .previous ? pixels : []
        for row in 0..<frame.height {
            let start = ((frame.top + row) * width + frame.left) * 4
            let from = row * frame.width * 4
            let line = part[from..<from + frame.width * 4]
            switch frame.blending {
            case .source: pixels.replaceSubrange(start..<start + line.count, with: line)
            case .over:
                for offset in stride(from: 0, to: line.count, by: 4) {
                    lay(part, from + offset, over: start + offset)
                }
            }
        }
        try give(pixels)
        switch disposal {
        case .none: break
        case .previous: pixels = before
        case .background:
            for row in 0..<frame.height {
                let start = ((frame.top + row) * width + frame.left) * 4
                for index in start..<start + frame.width * 4 { pixels[index] = 0 }
            }
        }
    }

    /// Composites colours that are not premultiplied (PNG §13.16).
    private mutating func lay(_ part: [UInt8], _ from: Int, over to: Int) {
        let (above, below) = (Int(part[from + 3]), Int(pixels[to + 3]))
        if above == 0 { return }
        if above == 255 || below == 0 {
            for band in 0..<4 { pixels[to + band] = part[from + band] }
            return
        }
        let (u, v) = (above * 255, (255 - above) * below)
        for band in 0..<3 {
            let mixed = Int(part[from + band]) * u + Int(pixels[to + band]) * v
            pixels[to + band] = UInt8((mixed + (u + v) / 2) / (u + v))
        }
        pixels[to + 3] = UInt8((u + v + 127) / 255)
    }
}
