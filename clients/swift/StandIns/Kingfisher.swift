// What the adapter uses of Kingfisher 8.
#if !canImport(Kingfisher)
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

public typealias KFCrossPlatformImage = UIImage

public protocol Resource: Sendable {
    var cacheKey: String { get }
    var downloadURL: URL { get }
}

public struct DownloadTask: Sendable {}

public protocol AsyncImageDownloadRequestModifier: Sendable {
    func modified(for request: URLRequest) async -> URLRequest?
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { get }
}

public protocol ImageDownloadRequestModifier: AsyncImageDownloadRequestModifier {
    func modified(for request: URLRequest) -> URLRequest?
}

extension ImageDownloadRequestModifier {
    public var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }
}

public struct KingfisherParsedOptionsInfo: Sendable {
    public var scaleFactor: CGFloat = 1
    public init() {}
}

public enum ImageProcessItem: Sendable {
    case image(KFCrossPlatformImage)
    case data(Data)
}

public protocol ImageProcessor: Sendable {
    var identifier: String { get }
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}

public struct DefaultImageProcessor: ImageProcessor {
    public static let `default` = DefaultImageProcessor()
    public let identifier = ""
    public init() {}
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image
        case .data(let data): data.isEmpty ? nil : UIImage(scale: options.scaleFactor)
        }
    }
}
#endif
