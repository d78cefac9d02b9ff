public import EdgeprintURL
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
#if canImport(SDWebImage)
public import SDWebImage
#endif
#if canImport(UIKit)
import UIKit
#endif

/// An image load of SDWebImage whose thumbnail and transformers run on the server.
///
/// ```swift
/// let load = try SDWebImageLoad(.path("photos/cat.jpg"), on: server, context: [.imageThumbnailPixelSize: view.pixelSize])
/// view.sd_setImage(with: load.url, placeholderImage: nil, context: load.context)
/// ```
public struct SDWebImageLoad {
    /// The URL with the steps.
    public let url: URL
    /// The context without what the server does, and with a request modifier and a cache key filter.
    public let context: [SDWebImageContextOption: Any]

    /// Translates a context.
    ///
    /// The thumbnail size becomes a resize, and transformers become steps in their order. From the first transformer on that has no
    /// counterpart, they remain in the context, and run in the app. Lengths of transformers are points of an image with the
    /// context's scale factor.
    ///
    /// - Throws: `ImageURLError`.
    public init(
        _ location: ImageLocation,
        on server: ImageServer,
        context: [SDWebImageContextOption: Any]
    ) throws(ImageURLError) {
        var context = context
        var transform = ImageTransform()
        if let size = context.removeValue(forKey: .imageThumbnailPixelSize) as? CGSize, size != .zero {
            let keepsRatio = context.removeValue(forKey: .imagePreserveAspectRatio) as? Bool ?? true
            transform = transform.resize(toPixels: size, fit: keepsRatio ? .contain : .fill)
        }
        let scale = max(1, context[.imageScaleFactor] as? CGFloat ?? 1)
        if let transformer = context.removeValue(forKey: .imageTransformer) as? any SDImageTransformer {
            var rest = Self.flattened(transformer)[...]
            while let next = rest.first, let longer = transform.adding(next, scale: scale) {
                transform = longer
                rest = rest.dropFirst()
            }
            if !rest.isEmpty { context[.imageTransformer] = SDImagePipelineTransformer(transformers: Array(rest)) }
        }
        if context[.downloadRequestModifier] == nil { context[.downloadRequestModifier] = EdgeprintRequestModifier() }
        if context[.cacheKeyFilter] == nil { context[.cacheKeyFilter] = EdgeprintCacheKeyFilter() }
        url = try server.foundationURL(for: location, transform)
        self.context = context
    }

    private static func flattened(_ transformer: any SDImageTransformer) -> [any SDImageTransformer] {
        guard let pipeline = transformer as? SDImagePipelineTransformer else { return [transformer] }
        return pipeline.transformers.flatMap(flattened)
    }
}

extension ImageTransform {
    /// The transform with a transformer's step; `nil` if the server has none that does the same.
    ///
    /// - Parameter scale: pixels per point.
    func adding(_ transformer: any SDImageTransformer, scale: CGFloat) -> ImageTransform? {
        switch transformer {
        case let resizing as SDImageResizingTransformer:
            // A server makes one resize; another one remains for the app.
            guard !hasResize else { return nil }
            let size = CGSize(width: resizing.size.width * scale, height: resizing.size.height * scale)
            let fit: Fit? =
                switch resizing.scaleMode {
                case .fill: .fill
                case .aspectFit: .contain
                case .aspectFill: .cover
                @unknown default: nil
                }
            return fit.map { resize(toPixels: size, fit: $0).enlarging() }
        case let cropping as SDImageCroppingTransformer:
            let rect = cropping.rect.standardized
            func pixels(_ length: CGFloat) -> Length { .pixels(Int((length * scale).rounded())) }
            return crop(
                x: pixels(rect.minX),
                y: pixels(rect.minY),
                width: pixels(rect.width),
                height: pixels(rect.height)
            )
        case let corners as SDImageRoundCornerTransformer:
            let rounded = round(
                corners.cornerRadius * scale,
                topLeft: corners.corners.contains(.topLeft),
                topRight: corners.corners.contains(.topRight),
                bottomRight: corners.corners.contains(.bottomRight),
                bottomLeft: corners.corners.contains(.bottomLeft)
            )
            guard corners.borderWidth > 0, let color = corners.borderColor else { return rounded }
            return ImageColor(color).map { rounded.border(width: corners.borderWidth * scale, $0) }
        case let flipping as SDImageFlippingTransformer:
            guard flipping.horizontal || flipping.vertical else { return self }
            return flip(flipping.horizontal ? flipping.vertical ? .both : .horizontal : .vertical)
        case let rotation as SDImageRotationTransformer:
            // SDWebImage's angle is in radians, counterclockwise.
            return rotate(degrees: -rotation.angle * 180 / .pi, expands: rotation.fitSize)
        case let blur as SDImageBlurTransformer:
            return blur.blurRadius * scale < 0.3 ? self : self.blur(blur.blurRadius * scale)
        default:
            return nil
        }
    }
}

/// Names AVIF and WebP in `Accept`, in place of SDWebImage's `image/*,*/*;q=0.8`, for which a server sends JPEG.
public final class EdgeprintRequestModifier: NSObject, SDWebImageDownloaderRequestModifierProtocol {
    /// The request with the field.
    public func modifiedRequest(with request: URLRequest) -> URLRequest? { request.acceptingModernFormats() }
}

/// Keeps signatures and times of expiry out of the keys of SDWebImage's cache.
public final class EdgeprintCacheKeyFilter: NSObject, SDWebImageCacheKeyFilterProtocol {
    /// The URL without its signature.
    public func cacheKey(for url: URL) -> String? { url.edgeprintCacheKey }
}
