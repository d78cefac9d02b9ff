// What the adapter uses of Nuke 12 and 13.
#if !canImport(Nuke)
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

public typealias PlatformImage = UIImage

public struct ImageContainer: Sendable {
    public var image: PlatformImage
    public init(image: PlatformImage) { self.image = image }
}

public protocol ImageProcessing: Sendable {
    func process(_ image: PlatformImage) -> PlatformImage?
    var identifier: String { get }
    var hashableIdentifier: AnyHashable { get }
}

extension ImageProcessing {
    public var hashableIdentifier: AnyHashable { identifier }
}

extension ImageProcessing where Self: Hashable {
    public var hashableIdentifier: AnyHashable { self }
}

public struct ImageRequest: Sendable {
    public var urlRequest: URLRequest?
    public var processors: [any ImageProcessing]
    public var imageID: String?
    public var scale: CGFloat = 1

    public init(urlRequest: URLRequest, processors: [any ImageProcessing] = []) {
        self.urlRequest = urlRequest
        self.processors = processors
        imageID = urlRequest.url?.absoluteString
    }
}
#endif
