public import EdgeprintURL
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
#if canImport(Kingfisher)
public import Kingfisher
#endif

/// An image of a server, for `kf.setImage(with:)`.
///
/// ```swift
/// let steps = ImageTransform().resize(width: 96, height: 96, fit: .cover).round(.maximum).density(3)
/// view.kf.setImage(
///     with: try EdgeprintResource(.path("users/7.jpg"), steps, on: server),
///     options: [.requestModifier(EdgeprintKingfisherModifier()), .scaleFactor(3)]
/// )
/// ```
public struct EdgeprintResource: Resource {
    /// The URL with the steps.
    public let downloadURL: URL

    /// The URL without its signature, which changes when keys or times of expiry do.
    public var cacheKey: String { downloadURL.edgeprintCacheKey }

    /// Creates a resource.
    ///
    /// - Throws: `ImageURLError`.
    public init(
        _ location: ImageLocation,
        _ transform: ImageTransform = ImageTransform(),
        on server: ImageServer
    ) throws(ImageURLError) {
        downloadURL = try server.foundationURL(for: location, transform)
    }
}

/// Names AVIF and WebP in `Accept`.
public struct EdgeprintKingfisherModifier: ImageDownloadRequestModifier {
    /// Creates a modifier.
    public init() {}

    /// The request with the field.
    public func modified(for request: URLRequest) -> URLRequest? { request.acceptingModernFormats() }
}

/// A processor whose work the server has done: decodes only.
///
/// In code that chooses processors, it stands for steps: `resource(for:on:)` puts them into the URL, and Kingfisher's cache tells images
/// with different steps apart by the identifier.
public struct EdgeprintProcessor: ImageProcessor {
    /// The steps.
    public let transform: ImageTransform

    /// Creates a processor for steps.
    public init(_ transform: ImageTransform) {
        self.transform = transform
    }

    /// The steps as a text.
    public var identifier: String { "edgeprint(\(transform.query))" }

    /// The image with the processor's steps.
    ///
    /// - Throws: `ImageURLError`.
    public func resource(for location: ImageLocation, on server: ImageServer) throws(ImageURLError) -> EdgeprintResource
    {
        try EdgeprintResource(location, transform, on: server)
    }

    /// The image as it is: the server has done the work.
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}
