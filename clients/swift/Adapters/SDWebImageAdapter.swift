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
        // SDWebImage ignores a size without an area.
        if let size = context.removeValue(forKey: .imageThumbnailPixelSize) as? CGSize, size.width > 0, size.height > 0
        {
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
    /// The transform with a transformer's step; `nil` if the server has none that does the same, or lengths are beyond its limits.
    ///
    /// - Parameter scale: pixels per point.
    func adding(_ transformer: any SDImageTransformer, scale: CGFloat) -> ImageTransform? {
        guard let longer = extended(by: transformer, scale: scale), (try? longer.validate()) != nil else { return nil }
        return longer
    }

    private func extended(by transformer: any SDImageTransformer, scale: CGFloat) -> ImageTransform? {
        switch transformer {
        case let resizing as SDImageResizingTransformer:
            return resized(by: resizing, scale: scale)
        case let cropping as SDImageCroppingTransformer:
            return cropped(by: cropping, scale: scale)
        case let corners as SDImageRoundCornerTransformer:
            return rounded(by: corners, scale: scale)
        case let flipping as SDImageFlippingTransformer:
            guard flipping.horizontal || flipping.vertical else { return self }
            return flip(flipping.horizontal ? flipping.vertical ? .both : .horizontal : .vertical)
        case let rotation as SDImageRotationTransformer:
            // SDWebImage's angle is in radians, counterclockwise.
            let rotated = rotate(degrees: -rotation.angle * 180 / .pi, expands: rotation.fitSize)
            // All rotations of a request share `expand`: one that differs would change those before it.
            return rotated.query.hasPrefix(query) ? rotated : nil
        case let blur as SDImageBlurTransformer:
            // SDWebImage blurs with at least 2 pixels.
            return blur.blurRadius > 0 ? self.blur(max(2, blur.blurRadius * scale)) : self
        default:
            return nil
        }
    }

    private func resized(by resizing: SDImageResizingTransformer, scale: CGFloat) -> ImageTransform? {
        // A server makes one resize; another one remains for the app.
        guard !hasResize else { return nil }
        let size = CGSize(width: resizing.size.width * scale, height: resizing.size.height * scale)
        guard size.width > 0, size.height > 0, max(size.width, size.height) <= 16_384 else { return nil }
        let fit: Fit? =
            switch resizing.scaleMode {
            case .fill: .fill
            // SDWebImage's canvas always has the stated size.
            case .aspectFit: .pad
            case .aspectFill: .cover
            @unknown default: nil
            }
        return fit.map { resize(toPixels: size, fit: $0).enlarging() }
    }

    /// The crop to the whole pixels that a rectangle touches, as `CGImageCreateWithImageInRect` does it.
    private func cropped(by cropping: SDImageCroppingTransformer, scale: CGFloat) -> ImageTransform? {
        let (origin, size) = (cropping.rect.origin, cropping.rect.size)
        guard size.width > 0, size.height > 0 else { return nil }
        let rect = CGRect(
            x: origin.x * scale,
            y: origin.y * scale,
            width: size.width * scale,
            height: size.height * scale
        ).integral
        // Also `nil` for what is not a number.
        guard [rect.minX, rect.minY, rect.maxX, rect.maxY].allSatisfy({ abs($0) <= 1_000_000 }) else { return nil }
        return crop(
            x: .pixels(Int(rect.minX)),
            y: .pixels(Int(rect.minY)),
            width: .pixels(Int(rect.width)),
            height: .pixels(Int(rect.height))
        )
    }

    private func rounded(by corners: SDImageRoundCornerTransformer, scale: CGFloat) -> ImageTransform? {
        let radius = corners.cornerRadius * scale
        guard !radius.isNaN, corners.borderWidth >= 0 else { return nil }
        let isRound = radius >= 0.01 && !corners.corners.isDisjoint(with: .allCorners)
        let rounded =
            isRound
            ? round(
                radius > 16_384 ? .maximum : .pixels(radius),
                topLeft: corners.corners.contains(.topLeft),
                topRight: corners.corners.contains(.topRight),
                bottomRight: corners.corners.contains(.bottomRight),
                bottomLeft: corners.corners.contains(.bottomLeft)
            ) : self
        guard corners.borderWidth > 0 else { return rounded }
        // Without a colour SDWebImage cuts off the border's width, and the server's border follows the corners before it.
        guard let color = corners.borderColor.flatMap({ ImageColor($0) }), isRound || !hasRound else {
            return nil
        }
        return rounded.border(width: corners.borderWidth * scale, color)
    }

    private var hasRound: Bool { query.split(separator: "&").contains { $0.hasPrefix("round=") } }
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
