import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// The image that stands for another one that is being made.
///
/// If the original's ThumbHash is known and the steps keep its proportions, a blurred impression of it; otherwise an image of the
/// requested size in the original's dominant colour, or in that of the source.
struct PlaceholderPicture {
    let bytes: [UInt8]
    let mediaType: String

    /// The size assumed for an original that is not known.
    private static let assumed = PixelSize(width: 6_000, height: 4_000)
    /// The largest difference of two proportions that are taken as equal.
    private static let tolerance = 0.02

    /// Creates the placeholder of a variant.
    ///
    /// - Parameter showsImpression: whether it may be an impression of the original.
    init(of variant: VariantRequest, _ known: KnownOriginal?, showsImpression: Bool = true) {
        let plan = variant.plan.flatMap { try? Plan(canonicalText: $0) } ?? Plan(steps: [])
        let source = known?.size ?? Self.assumed
        let size = (try? PlanGeometry.outputSize(of: plan, source: source)) ?? source
        if showsImpression, known?.size != nil, Self.haveSameShape(size, source),
            let impression = Self.impression(known?.placeholder)
        {
            self.init(bytes: impression, mediaType: PlainPicture.Format.png.mediaType)
            return
        }
        let color = known?.placeholder?.dominant ?? variant.origin.source.slowMiss.color
        let format = Self.format(plan.settings.format, variant.bucket)
        self.init(
            bytes: PlainPicture(size: size, color: color).encoded(as: format),
            mediaType: format.mediaType
        )
    }

    private init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// Whether a plan makes an image, not text about one.
    static func isPicture(_ plan: String) -> Bool {
        (try? Plan(canonicalText: plan))?.settings.format.isMetadata == false
    }

    /// The requested format, if a plain image can have it.
    private static func format(_ setting: FormatSetting, _ bucket: FormatBucket?) -> PlainPicture.Format {
        switch setting {
        case .jpeg: .jpeg
        case .webp: .webp
        case .auto: (bucket ?? .rest) >= .webp ? .webp : .png
        default: .png
        }
    }

    private static func haveSameShape(_ first: PixelSize, _ second: PixelSize) -> Bool {
        let ratios = [first, second].map { Double($0.width) / Double(max(1, $0.height)) }
        return abs(ratios[0] / ratios[1] - 1) < tolerance
    }

    private static func impression(_ placeholder: Placeholder?) -> [UInt8]? {
        guard let text = placeholder?.thumbHash, !text.isEmpty,
            let hash = Base64Decoder.decode(text.utf8, .standard)
        else { return nil }
        return ThumbHash.decode(hash).map { PNGWriter.picture($0) }
    }

    /// The response, which clients may keep for a short time.
    ///
    /// - Parameters:
    ///   - lifetime: seconds.
    ///   - dynamic: the encoded fields of the request.
    func response(lifetime: Int64, isPersonal: Bool, dynamic: [UInt8]) -> Response {
        var response = Response(status: 200)
        var block = FieldBlock()
        block.append("Content-Type", mediaType)
        block.append("Cache-Control", "\(isPersonal ? "private" : "public"), max-age=\(max(0, lifetime))")
        response.fields = block.bytes + CommonFields.bytes
        response.dynamicFields = CacheStatusFields.placeholder + dynamic
        response.body = .bytes(bytes)
        response.tag = RequestResult.placeholder.tag
        return response
    }
}
