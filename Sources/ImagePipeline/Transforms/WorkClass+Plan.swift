import HTTPCache
import ImagePlan

extension WorkClass {
    /// The levels of sizes and times are powers of this number.
    private static let base = 4
    /// The level of an effort that the request leaves to the format.
    private static let standardEffort = EncodingSettings.efforts.upperBound + 1

    /// Classifies the transform of an original: format, effort, pixels of the result, and what else makes one plan costlier than
    /// another: its steps, auxiliary images, searches, frames, decoded pixels and estimated time.
    ///
    /// - Parameters:
    ///   - plan: the plan's canonical text.
    ///   - header: the original's header.
    ///   - bucket: the format bucket; `nil` for the request's own.
    init(of request: VariantRequest, plan text: String, header: ImageHeader, bucket: FormatBucket?) {
        let bucket = bucket ?? request.bucket ?? .rest
        guard let plan = try? Plan(canonicalText: text) else {
            self.init(kind: text, parts: [], levels: [], description: text)
            return
        }
        let settings = plan.settings
        let format = settings.format.rawValue
        let kind = settings.format == .auto ? "\(format) for \(bucket.name)" : format
        let cost = try? CostEstimate(of: plan, header: header, format: .jpeg, maximumPixels: .max)
        let pixels = cost?.encodedPixels ?? 0
        let takesSmallest = request.encodingSearch.takesSmallest
        let time = EncodingCost.milliseconds(
            of: settings,
            pixels: pixels,
            bucket: bucket,
            quality: request.quality,
            search: request.encodingSearch
        )
        let frames = settings.isStill || header.frames <= 1 ? 1 : settings.animation.selection(of: header.frames).count
        self.init(
            kind: kind,
            parts: Self.parts(of: plan, request, takesSmallest: takesSmallest),
            levels: [
                settings.encoding.effort ?? Self.standardEffort, Self.level(pixels),
                Self.level(cost?.decodedPixels ?? 0), Self.level(cost?.work ?? 0), Self.level(time),
                Self.level(frames),
            ],
            description: Self.words(kind, settings, pixels)
        )
    }

    /// What the plan does beyond encoding.
    private static func parts(of plan: Plan, _ request: VariantRequest, takesSmallest: Bool) -> Set<String> {
        let encoding = plan.settings.encoding
        let flags = [
            ("effort", encoding.effort != nil), ("max_bytes", encoding.maximumBytes != nil),
            ("q=auto", plan.settings.seeksQuality), ("lossless", encoding.isLossless),
            ("near_lossless", encoding.nearLossless != nil), ("sharp_yuv", encoding.usesSharpYUV),
            ("progressive", encoding.isProgressive), ("smallest", takesSmallest),
            ("linear", plan.steps.contains { ($0 as? ResizeStep)?.isLinear == true }),
        ]
        // A resize has one name, whichever sides it states.
        let steps = plan.steps.map { $0 is ResizeStep ? "resize" : $0.parameters.first?.name ?? "" }
        return Set(steps + flags.filter(\.1).map(\.0) + request.auxiliaries.map { "\($0.origin.key)" })
    }

    /// The number of times that a count can be divided by `base`.
    private static func level(_ count: Int) -> Int {
        var (level, rest) = (0, count / base)
        while rest > 0 { (level, rest) = (level + 1, rest / base) }
        return level
    }

    private static func words(_ kind: String, _ settings: PlanSettings, _ pixels: Int) -> String {
        let effort = settings.encoding.effort.map { "effort \($0)" } ?? "the standard effort"
        let level = level(pixels)
        let least = level == 0 ? 0 : (0..<level).reduce(1) { product, _ in product * base }
        return "\(kind) with \(effort), from \(least) pixels"
    }
}
