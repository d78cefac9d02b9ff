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

    /// The steps of one transformer or several, and how many of them stay in the app.
    private func translated(
        _ transformers: any SDImageTransformer...,
        scale: CGFloat = 1
    ) throws -> (query: String, rest: Int) {
        let load = try SDWebImageLoad(
            .path("photos/cat.jpg"),
            on: server,
            context: [
                .imageScaleFactor: scale, .imageTransformer: SDImagePipelineTransformer(transformers: transformers),
            ]
        )
        let query = load.url.absoluteString.split(separator: "?").dropFirst().joined()
        let rest = load.context[.imageTransformer] as? SDImagePipelineTransformer
        return (query, rest?.transformers.count ?? 0)
    }

    @Test(arguments: [
        (SDImageScaleMode.fill, "fill"), (.aspectFit, "pad"), (.aspectFill, "cover"),
    ])
    func `SDWebImage: a resize has exactly its size, and enlarges`(mode: SDImageScaleMode, fit: String) throws {
        let resizing = SDImageResizingTransformer(size: CGSize(width: 400, height: 400), scaleMode: mode)
        #expect(try translated(resizing) == ("w=400&h=400&fit=\(fit)&enlarge=1", 0))
    }

    @Test(arguments: [
        (false, true, "rotate=-45&expand=0", 1), (true, false, "rotate=-45&expand=1", 1),
        (true, true, "rotate=-45&expand=1&rotate=-45", 0),
    ])
    func `SDWebImage: a rotation leaves the canvas of the one before it alone`(
        first: Bool,
        second: Bool,
        query: String,
        rest: Int
    ) throws {
        let rotations = [first, second].map { SDImageRotationTransformer(angle: .pi / 4, fitSize: $0) }
        #expect(try translated(rotations[0], rotations[1]) == (query, rest))
    }

    @Test(
        arguments: [
            (0, SDRectCorner.allCorners, "border=2,ff0000"), (-3, .allCorners, "border=2,ff0000"),
            (20, [], "border=2,ff0000"), (20_000, .allCorners, "round=max&border=2,ff0000"),
            (.infinity, .allCorners, "round=max&border=2,ff0000"),
            (.greatestFiniteMagnitude, .topLeft, "round=max,0,0,0&border=2,ff0000"),
        ] as [(CGFloat, SDRectCorner, String)]
    )
    func `SDWebImage: any radius is one of the server's`(
        radius: CGFloat,
        corners: SDRectCorner,
        query: String
    ) throws {
        let red = UIColor(red: 1, green: 0, blue: 0, alpha: 1)
        let made = try translated(
            SDImageRoundCornerTransformer(radius: radius, corners: corners, borderWidth: 2, borderColor: red)
        )
        #expect(made == (query, 0))
    }

    @Test func `SDWebImage: corners without a radius and a border change nothing`() throws {
        let plain = SDImageRoundCornerTransformer(radius: 0, corners: [], borderWidth: 0, borderColor: nil)
        #expect(try translated(plain) == ("", 0))
    }

    @Test func `SDWebImage: what is beyond the server's limits stays in the app`() throws {
        let red = UIColor(red: 1, green: 0, blue: 0, alpha: 1)
        let round = SDImageRoundCornerTransformer(radius: 9, corners: .allCorners, borderWidth: 0, borderColor: nil)
        let edge = SDImageRoundCornerTransformer(radius: 0, corners: [], borderWidth: 1, borderColor: red)
        #expect(try translated(round, edge) == ("round=9", 1), "the border would follow the corners")
        func corners(_ radius: CGFloat, border: CGFloat, _ color: UIColor?) -> SDImageRoundCornerTransformer {
            SDImageRoundCornerTransformer(
                radius: radius,
                corners: .allCorners,
                borderWidth: border,
                borderColor: color
            )
        }
        let others: [any SDImageTransformer] = [
            SDImageBlurTransformer(radius: 300), SDImageBlurTransformer(radius: .infinity),
            SDImageRotationTransformer(angle: .infinity, fitSize: true), corners(.nan, border: 0, nil),
            corners(9, border: 20_000, red), corners(9, border: .infinity, red), corners(9, border: -1, red),
            corners(9, border: 1, nil), SDImageCroppingTransformer(rect: .zero),
            SDImageCroppingTransformer(rect: .null),
            SDImageCroppingTransformer(rect: CGRect(x: 9, y: 0, width: -4, height: 4)),
            SDImageCroppingTransformer(rect: CGRect(x: 0, y: 0, width: CGFloat.infinity, height: 4)),
            SDImageResizingTransformer(size: .zero, scaleMode: .fill),
            SDImageResizingTransformer(size: CGSize(width: 20_000, height: 1), scaleMode: .aspectFit),
            SDImageResizingTransformer(size: CGSize(width: CGFloat.infinity, height: 1), scaleMode: .aspectFill),
        ]
        for other in others { #expect(try translated(other) == ("", 1)) }
        #expect(try translated(SDImageBlurTransformer(radius: 100), scale: 3) == ("", 1))
    }

    @Test(
        arguments: [
            (CGRect(x: 10.2, y: 0, width: 0.4, height: 8), 1, "crop=10,0,1,8"),
            (CGRect(x: 0.5, y: 1.5, width: 10, height: 10), 1, "crop=0,1,11,11"),
            (CGRect(x: -0.5, y: 0.25, width: 3, height: 0.5), 2, "crop=-1,0,6,2"),
        ] as [(CGRect, CGFloat, String)]
    )
    func `SDWebImage: a crop has every pixel that it touches`(rect: CGRect, scale: CGFloat, query: String) throws {
        #expect(try translated(SDImageCroppingTransformer(rect: rect), scale: scale) == (query, 0))
    }

    @Test(arguments: [(0, ""), (0.5, "blur=2"), (8, "blur=8")] as [(CGFloat, String)])
    func `SDWebImage: a blur is at least as strong as there`(radius: CGFloat, query: String) throws {
        #expect(try translated(SDImageBlurTransformer(radius: radius)) == (query, 0))
    }

    @Test(arguments: [(300, 0), (0, 300), (-1, 300), (0, 0)] as [(CGFloat, CGFloat)])
    func `SDWebImage: a thumbnail without an area keeps the size`(width: CGFloat, height: CGFloat) throws {
        let load = try SDWebImageLoad(
            .path("photos/cat.jpg"),
            on: server,
            context: [.imageThumbnailPixelSize: CGSize(width: width, height: height)]
        )
        #expect(load.url.absoluteString == "https://img.example.com/photos/cat.jpg")
        #expect(load.context[.imageThumbnailPixelSize] == nil)
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
