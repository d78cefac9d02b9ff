import EdgeprintURL
import Foundation
import ImagePlan
import Testing

@testable import AdapterExamples

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The adapters for image libraries, compiled against stand-ins of what they use of them.
@Suite(.timeLimit(.minutes(1)))
struct AdapterTests {
    private let server: ImageServer

    init() throws {
        server = try ImageServer("https://img.example.com")
    }

    private static func plan(_ url: URL) throws -> Plan {
        let query = url.absoluteString.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return try RequestLanguage.parse(query: String(query), options: ParseOptions()).plan
    }

    private final class LocalTransformer: SDImageBaseTransformer {}

    @Test func `SDWebImage: thumbnail and transformers become steps in their order`() throws {
        let load = try SDWebImageLoad(
            .path("photos/cat.jpg"),
            on: server,
            context: [
                .imageThumbnailPixelSize: CGSize(width: 300, height: 200),
                .imageScaleFactor: CGFloat(2),
                .imageTransformer: SDImagePipelineTransformer(transformers: [
                    SDImageRoundCornerTransformer(
                        radius: 10,
                        corners: .allCorners,
                        borderWidth: 1,
                        borderColor: UIColor(red: 1, green: 0.5, blue: 0, alpha: 1)
                    ),
                    SDImageFlippingTransformer(horizontal: true, vertical: false),
                    SDImagePipelineTransformer(transformers: [SDImageRotationTransformer(angle: .pi / 2, fitSize: true)]
                    ),
                    SDImageBlurTransformer(radius: 4),
                    SDImageCroppingTransformer(rect: CGRect(x: 1, y: 2, width: 30, height: 40)),
                ]),
            ]
        )
        let expected = "w=300&h=200&round=20&border=2,ff8000&flip=h&rotate=270&blur=8&crop=2,4,60,80"
        #expect(try Self.plan(load.url) == RequestLanguage.parse(query: expected, options: ParseOptions()).plan)
        #expect(load.context[.imageTransformer] == nil && load.context[.imageThumbnailPixelSize] == nil)
        #expect(load.context[.imageScaleFactor] as? CGFloat == 2)
        #expect(load.context[.downloadRequestModifier] is EdgeprintRequestModifier)
        #expect(load.context[.cacheKeyFilter] is EdgeprintCacheKeyFilter)
    }

    @Test func `SDWebImage: what the server cannot do, and what follows it, stays in the app`() throws {
        let local = LocalTransformer()
        let load = try SDWebImageLoad(
            .path("photos/cat.jpg"),
            on: server,
            context: [
                .imageTransformer: SDImagePipelineTransformer(transformers: [
                    SDImageResizingTransformer(size: CGSize(width: 90, height: 60), scaleMode: .aspectFill),
                    local,
                    SDImageBlurTransformer(radius: 4),
                ])
            ]
        )
        let expected = "w=90&h=60&fit=cover&enlarge=1"
        #expect(try Self.plan(load.url) == RequestLanguage.parse(query: expected, options: ParseOptions()).plan)
        let rest = try #require(load.context[.imageTransformer] as? SDImagePipelineTransformer).transformers
        #expect(rest.count == 2 && rest.first === local)
    }

    @Test func `SDWebImage: a second resize stays in the app`() throws {
        let resizing = SDImageResizingTransformer(size: CGSize(width: 90, height: 60), scaleMode: .fill)
        let load = try SDWebImageLoad(
            .path("photos/cat.jpg"),
            on: server,
            context: [
                .imageThumbnailPixelSize: CGSize(width: 300, height: 200), .imagePreserveAspectRatio: false,
                .imageTransformer: resizing,
            ]
        )
        #expect(load.url.absoluteString == "https://img.example.com/photos/cat.jpg?w=300&h=200&fit=fill")
        #expect((load.context[.imageTransformer] as? SDImagePipelineTransformer)?.transformers.first === resizing)
    }

    @Test func `requests name formats, so that the server need not send JPEG`() throws {
        let url = try #require(URL(string: "https://img.example.com/photos/cat.jpg"))
        let plain = URLRequest(url: url)
        let requests = [
            EdgeprintRequestModifier().modifiedRequest(with: plain),
            EdgeprintKingfisherModifier().modified(for: plain),
            try ImageRequest(.path("photos/cat.jpg"), on: server).urlRequest,
        ]
        for request in requests {
            let accept = try #require(request?.value(forHTTPHeaderField: "Accept"))
            #expect(FormatBucket(accept: Array(accept.utf8).span) == .avif)
        }
        #expect(!FormatBucket(accept: Array("image/*,*/*;q=0.8".utf8).span).hasAVIF)
    }

    @Test(arguments: [
        ("https://a.example/p/c.jpg?w=4&exp=5&sig=abc", "https://a.example/p/c.jpg?w=4"),
        ("https://a.example/p/c.jpg?sig=abc", "https://a.example/p/c.jpg"),
        ("https://a.example/p/c.jpg?scope=w:1-9&sig=abc&w=4", "https://a.example/p/c.jpg?w=4"),
        ("https://a.example/p/c.jpg", "https://a.example/p/c.jpg"),
    ])
    func `keys of the app's cache have no signature`(url: String, key: String) throws {
        let url = try #require(URL(string: url))
        #expect(EdgeprintCacheKeyFilter().cacheKey(for: url) == key)
    }

    @Test func `Kingfisher: a resource and a processor have the steps`() throws {
        let steps = ImageTransform().resize(width: 96, height: 96, fit: .cover).round(.maximum).density(3)
        let processor = EdgeprintProcessor(steps)
        let resource = try processor.resource(for: .path("users/7.jpg"), on: server)
        #expect(resource.cacheKey == "https://img.example.com/users/7.jpg?w=96&h=96&fit=cover&round=max&dpr=3")
        #expect(processor.identifier != EdgeprintProcessor(steps.blur(2)).identifier)
        let image = UIImage()
        #expect(processor.process(item: .image(image), options: KingfisherParsedOptionsInfo()) === image)
        #expect(throws: ImageURLError.self) {
            try EdgeprintResource(.path("users/7.jpg"), steps.density(9), on: server)
        }
    }

    @Test func `Nuke: a request has steps, scale and key`() throws {
        let signed = try ImageServer("https://img.example.com", authenticator: Vectors.key())
        let step = EdgeprintStep(ImageTransform().resize(width: 320))
        let request = try ImageRequest(.path("photos/cat.jpg"), step.transform, on: signed, displayScale: 2)
        #expect(request.imageID == "https://img.example.com/photos/cat.jpg?w=320&dpr=2")
        #expect(request.urlRequest?.url?.absoluteString.contains("&sig=") == true)
        #expect(request.scale == 2)
        #expect(step.hashableIdentifier == EdgeprintStep(ImageTransform().resize(width: 320)).hashableIdentifier)
    }

    @Test func `SwiftUI: a view asks for its own pixels`() throws {
        let view = EdgeprintImage(
            .path("photos/cat.jpg"),
            on: server,
            width: 120,
            height: 80,
            content: { $0.resizable() },
            placeholder: { EmptyView() }
        )
        let start = "https://img.example.com/photos/cat.jpg?w=120&h=80&fit=cover&format=avif"
        #expect(view.url(displayScale: 3)?.absoluteString == start + "&dpr=3")
        #expect(view.url(displayScale: 9)?.absoluteString == start + "&dpr=4")
    }

    @Test func `UIKit: a ThumbHash becomes an image`() {
        // 24 bytes that announce a landscape: the mean is grey, and there are no waves.
        let hash = [0x1F, 0x08, 0x02, 0x05, 0x80] + Array(repeating: 0x77, count: 19)
        let text = Data(hash.map { UInt8($0) }).base64EncodedString()
        let image = UIImage(thumbHash: text)?.cgImage
        #expect(image?.width == 32 && image.map { $0.height < 32 } == true)
        #expect(UIImage(thumbHash: "AAAA") == nil)
    }
}
