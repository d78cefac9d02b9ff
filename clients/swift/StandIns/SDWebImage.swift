// What the adapter uses of SDWebImage 5, as Swift imports it.
#if !canImport(SDWebImage)
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

public struct SDWebImageContextOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let imageThumbnailPixelSize = SDWebImageContextOption(rawValue: "imageThumbnailPixelSize")
    public static let imagePreserveAspectRatio = SDWebImageContextOption(rawValue: "imagePreserveAspectRatio")
    public static let imageScaleFactor = SDWebImageContextOption(rawValue: "imageScaleFactor")
    public static let imageTransformer = SDWebImageContextOption(rawValue: "imageTransformer")
    public static let downloadRequestModifier = SDWebImageContextOption(rawValue: "downloadRequestModifier")
    public static let cacheKeyFilter = SDWebImageContextOption(rawValue: "cacheKeyFilter")
}

public protocol SDWebImageDownloaderRequestModifierProtocol: NSObjectProtocol {
    func modifiedRequest(with request: URLRequest) -> URLRequest?
}

public protocol SDWebImageCacheKeyFilterProtocol: NSObjectProtocol {
    func cacheKey(for url: URL) -> String?
}

public protocol SDImageTransformer: NSObjectProtocol {
    var transformerKey: String { get }
    func transformedImage(with image: UIImage, forKey key: String) -> UIImage?
}

public enum SDImageScaleMode: UInt, Sendable { case fill, aspectFit, aspectFill }

public struct SDRectCorner: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let topLeft = SDRectCorner(rawValue: 1)
    public static let topRight = SDRectCorner(rawValue: 2)
    public static let bottomLeft = SDRectCorner(rawValue: 4)
    public static let bottomRight = SDRectCorner(rawValue: 8)
    public static let allCorners: SDRectCorner = [.topLeft, .topRight, .bottomLeft, .bottomRight]
}

public class SDImageBaseTransformer: NSObject, SDImageTransformer {
    public var transformerKey: String { String(describing: type(of: self)) }
    public func transformedImage(with image: UIImage, forKey key: String) -> UIImage? { image }
}

public final class SDImagePipelineTransformer: SDImageBaseTransformer {
    public let transformers: [any SDImageTransformer]
    public init(transformers: [any SDImageTransformer]) { self.transformers = transformers }
}

public final class SDImageResizingTransformer: SDImageBaseTransformer {
    public let size: CGSize
    public let scaleMode: SDImageScaleMode
    public init(size: CGSize, scaleMode: SDImageScaleMode) { (self.size, self.scaleMode) = (size, scaleMode) }
}

public final class SDImageCroppingTransformer: SDImageBaseTransformer {
    public let rect: CGRect
    public init(rect: CGRect) { self.rect = rect }
}

public final class SDImageRoundCornerTransformer: SDImageBaseTransformer {
    public let cornerRadius: CGFloat
    public let corners: SDRectCorner
    public let borderWidth: CGFloat
    public let borderColor: UIColor?
    public init(radius: CGFloat, corners: SDRectCorner, borderWidth: CGFloat, borderColor: UIColor?) {
        (cornerRadius, self.corners, self.borderWidth, self.borderColor) = (radius, corners, borderWidth, borderColor)
    }
}

public final class SDImageFlippingTransformer: SDImageBaseTransformer {
    public let horizontal: Bool
    public let vertical: Bool
    public init(horizontal: Bool, vertical: Bool) { (self.horizontal, self.vertical) = (horizontal, vertical) }
}

public final class SDImageRotationTransformer: SDImageBaseTransformer {
    public let angle: CGFloat
    public let fitSize: Bool
    public init(angle: CGFloat, fitSize: Bool) { (self.angle, self.fitSize) = (angle, fitSize) }
}

public final class SDImageBlurTransformer: SDImageBaseTransformer {
    public let blurRadius: CGFloat
    public init(radius: CGFloat) { blurRadius = radius }
}
#endif
