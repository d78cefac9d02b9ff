public import EdgeprintURL
public import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(UIKit)
import UIKit
#endif

/// The `Accept` field of an app: Edgeprint sends AVIF or WebP only to clients that name them.
///
/// ImageIO decodes WebP from iOS 14 and AVIF from iOS 16, which is the oldest system of `EdgeprintURL`.
public let edgeprintAccept = "image/avif,image/webp,image/*;q=0.8"

extension URLRequest {
    /// The request with an `Accept` field that names AVIF and WebP.
    func acceptingModernFormats() -> URLRequest {
        var request = self
        request.setValue(edgeprintAccept, forHTTPHeaderField: "Accept")
        return request
    }
}

extension URL {
    /// The URL without what changes from one signature to the next, as a key of the app's cache: `sig`, `exp` and `scope`.
    public var edgeprintCacheKey: String {
        let parts = absoluteString.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return absoluteString }
        let kept = parts[1].split(separator: "&").filter { pair in
            !["sig=", "exp=", "scope="].contains { pair.hasPrefix($0) }
        }
        return kept.isEmpty ? String(parts[0]) : "\(parts[0])?\(kept.joined(separator: "&"))"
    }
}

extension ImageServer {
    /// The URL of an image as Foundation has it.
    ///
    /// - Throws: `ImageURLError`.
    public func foundationURL(
        for location: ImageLocation,
        _ transform: ImageTransform
    ) throws(ImageURLError) -> URL {
        guard let url = URL(string: try url(for: location, transform)) else {
            throw ImageURLError(parameter: "base", reason: "is not the beginning of a URL")
        }
        return url
    }
}

extension ImageColor {
    /// The colour in sRGB; `nil` for one that has no such components, such as a pattern.
    init?(_ color: UIColor) {
        var (red, green, blue, alpha): (CGFloat, CGFloat, CGFloat, CGFloat) = (0, 0, 0, 0)
        guard color.getRed(&red, green: &green, blue: &blue, alpha: &alpha) else { return nil }
        func byte(_ value: CGFloat) -> UInt8 { UInt8((min(1, max(0, value)) * 255).rounded()) }
        self.init(red: byte(red), green: byte(green), blue: byte(blue), alpha: byte(alpha))
    }
}

extension ImageTransform {
    /// The transform with a resize to a size in pixels, at least 1 and at most what a server makes.
    func resize(toPixels size: CGSize, fit: Fit) -> ImageTransform {
        func side(_ length: CGFloat) -> Int { Int(min(16_384, max(1, length.rounded()))) }
        return resize(width: side(size.width), height: side(size.height), fit: fit)
    }

    /// The transform with rounded corners, of which those that stay have a radius of 0.
    func round(
        _ radius: CornerRadius,
        topLeft: Bool,
        topRight: Bool,
        bottomRight: Bool,
        bottomLeft: Bool
    ) -> ImageTransform {
        if topLeft, topRight, bottomRight, bottomLeft { return round(radius) }
        func corner(_ isRounded: Bool) -> CornerRadius { isRounded ? radius : 0 }
        return round(
            topLeft: corner(topLeft),
            topRight: corner(topRight),
            bottomRight: corner(bottomRight),
            bottomLeft: corner(bottomLeft)
        )
    }
}
