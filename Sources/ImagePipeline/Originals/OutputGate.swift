import HTTPCache
import ImagePlan

/// Refuses requests whose result would have more pixels than they may ask for, by the original's header.
enum OutputGate {
    /// Returns why a variant must not be made; `nil` if it may be.
    ///
    /// The size of a result whose steps depend on pixels, and that of a vector image with one side given, are estimates.
    static func refusal(of header: ImageHeader, plan text: String, for request: VariantRequest) -> PipelineError? {
        guard let limit = request.outputPixels, let plan = try? Plan(canonicalText: text),
            !plan.settings.format.isMetadata
        else { return nil }
        let cost = try? CostEstimate(of: plan, header: header, format: .jpeg, maximumPixels: .max)
        guard let pixels = cost?.encodedPixels, pixels > limit else { return nil }
        let resize = plan.steps.lazy.compactMap { $0 as? ResizeStep }.last
        let excess =
            "the result would have \(pixels) pixels, and at most \(limit) without a signature (unsigned.pixels)"
        let factor = (Double(limit) / Double(pixels)).squareRoot()
        guard let side = resize?.parameters.first, let stated = Int(side.value) else {
            let width = Int(Double(header.orientedSize.width) * factor)
            return .refused(width > 0 ? "\(excess); a width of \(width) is allowed" : excess, parameter: "w")
        }
        let nearest = max(1, Int(Double(stated) * factor))
        let kind = side.name.hasSuffix("w") ? "width" : "height"
        return .refused("\(excess); a \(kind) of \(nearest) device pixels is allowed", parameter: side.name)
    }
}
