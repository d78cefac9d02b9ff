// What the adapters use of UIKit and Core Graphics, so that they are compiled and tested on Linux, too.
#if !canImport(UIKit)
public import Foundation

public final class UIImage: Sendable {
    public let scale: CGFloat
    public let cgImage: CGImage?

    public init(scale: CGFloat = 1) { (self.scale, cgImage) = (scale, nil) }
    public init(cgImage: CGImage) { (scale, self.cgImage) = (1, cgImage) }
}

public typealias CFData = Data
public typealias CFString = String

public struct CGDataProvider: Sendable {
    public let data: CFData
    public init?(data: CFData) { self.data = data }
}

public struct CGColorSpace: Sendable {
    public static let sRGB: CFString = "kCGColorSpaceSRGB"
    public init?(name: CFString) { guard name == Self.sRGB else { return nil } }
}

public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public enum CGImageAlphaInfo: UInt32, Sendable { case none, premultipliedLast, premultipliedFirst, last, first }

public enum CGColorRenderingIntent: Int32, Sendable { case defaultIntent }

public final class CGImage: Sendable {
    public let width: Int
    public let height: Int

    public init?(
        width: Int,
        height: Int,
        bitsPerComponent: Int,
        bitsPerPixel: Int,
        bytesPerRow: Int,
        space: CGColorSpace,
        bitmapInfo: CGBitmapInfo,
        provider: CGDataProvider,
        decode: [CGFloat]?,
        shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) {
        guard bitsPerPixel == 4 * bitsPerComponent, bytesPerRow * 8 == width * bitsPerPixel,
            provider.data.count == bytesPerRow * height
        else { return nil }
        (self.width, self.height) = (width, height)
    }
}

public final class UIColor: Sendable {
    private let components: (red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat)

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        components = (red, green, blue, alpha)
    }

    public func getRed(
        _ red: inout CGFloat,
        green: inout CGFloat,
        blue: inout CGFloat,
        alpha: inout CGFloat
    ) -> Bool {
        (red, green, blue, alpha) = components
        return true
    }
}
#endif
