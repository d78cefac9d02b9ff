public import EdgeprintURL
public import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Nuke)
public import Nuke
#endif

/// A step that runs on the server, in a list of Nuke's processors.
///
/// Nuke's own processors do not say what they do, so that they cannot be translated.
public struct EdgeprintStep: ImageProcessing, Hashable {
    /// What the server does.
    public let transform: ImageTransform

    /// Creates a step.
    public init(_ transform: ImageTransform) {
        self.transform = transform
    }

    /// The step as a text.
    public var identifier: String { "edgeprint(\(transform.query))" }

    /// The image as it is: the server has done the work.
    public func process(_ image: PlatformImage) -> PlatformImage? { image }
}

extension ImageRequest {
    /// Creates a request for an image of a server.
    ///
    /// ```swift
    /// let steps = ImageTransform().resize(width: 320, height: 240, fit: .cover)
    /// let request = try ImageRequest(.path("photos/cat.jpg"), steps, on: server, displayScale: view.traitCollection.displayScale)
    /// let image = try await ImagePipeline.shared.image(for: request)
    /// ```
    ///
    /// - Parameters:
    ///   - transform: lengths are points.
    ///   - displayScale: pixels per point; servers accept 1–4.
    ///   - processors: what is left for the app.
    /// - Throws: `ImageURLError`.
    public init(
        _ location: ImageLocation,
        _ transform: ImageTransform = ImageTransform(),
        on server: ImageServer,
        displayScale: CGFloat = 1,
        processors: [any ImageProcessing] = []
    ) throws(ImageURLError) {
        let dense = displayScale == 1 ? transform : transform.density(min(4, max(1, displayScale)))
        let url = try server.foundationURL(for: location, dense)
        self.init(urlRequest: URLRequest(url: url).acceptingModernFormats(), processors: processors)
        imageID = url.edgeprintCacheKey
        scale = displayScale
    }
}
