import HTTPCache
import ImagePlan

/// Refuses requests whose result would have more pixels than they may ask for, by the original's header.
enum OutputGate {
    /// Returns why a variant must not be made, with a side that may be requested if one is found; `nil` if it may be.
    ///
    /// The size of a result whose steps depend on pixels, and that of a vector image with one side given, are estimates.
    static func refusal(of header: ImageHeader, plan text: String, for request: VariantRequest) -> PipelineError? {
        guard let limit = request.outputPixels, let plan = try? Plan(canonicalText: text),
            !plan.settings.format.isMetadata, let pixels = pixels(of: plan, header), pixels > limit
        else { return nil }
        let name = (resize(of: plan)?.parameters.first).map(\.name) ?? "w"
        let excess =
            "the result would have \(pixels) pixels, and at most \(limit) without a signature (unsigned.pixels)"
        let limits = request.origin.source.unsigned.limits
        // Only these widths may be requested, or none.
        guard limits?.widths.isEmpty != false, limits?.presets != .only,
            let side = permittedSide(name, of: plan, header, (Double(limit) / Double(pixels)).squareRoot(), limit)
        else { return .refused(excess, parameter: name) }
        let kind = name.hasSuffix("w") ? "width" : "height"
        return .refused("\(excess); a \(kind) of \(side) device pixels is allowed", parameter: name)
    }

    private static func pixels(of plan: Plan, _ header: ImageHeader) -> Int? {
        try? CostEstimate(of: plan, header: header, format: .jpeg, maximumPixels: .max).encodedPixels
    }

    private static func resize(of plan: Plan) -> ResizeStep? {
        plan.steps.lazy.compactMap { $0 as? ResizeStep }.first
    }

    /// A side that keeps the result within the limit while the rest of the plan stays; `nil` if no such side is found.
    ///
    /// - Parameter factor: by what the sides of the result are too long.
    private static func permittedSide(
        _ name: String,
        of plan: Plan,
        _ header: ImageHeader,
        _ factor: Double,
        _ limit: Int
    ) -> Int? {
        let stated: Int?
        if let side = resize(of: plan)?.parameters.first {
            stated = Int(side.value)
        } else {
            let steps = try? PlanGeometry.resolve(plan, source: header.orientedSize, maximumPixels: .max)
            stated = steps?.last?.output.size.width ?? header.orientedSize.width
        }
        guard let stated else { return nil }
        let nearest = Int(Double(stated) * factor)
        // The other side is rounded, which may be by one pixel too much.
        return (0...2).lazy.map { nearest - $0 }.first { side in
            guard side > 0, let smaller = Self.plan(plan, with: name, of: side) else { return false }
            return pixels(of: smaller, header).map { $0 <= limit } ?? false
        }
    }

    /// The plan with another side of its resize; with a resize at its end if it has none.
    private static func plan(_ plan: Plan, with name: String, of side: Int) -> Plan? {
        guard resize(of: plan) != nil else {
            return Plan(steps: plan.steps + [ResizeStep(width: side, height: nil)], settings: plan.settings)
        }
        let steps = plan.steps.map { step -> any TransformStep in
            if let resize = step as? ResizeStep { resize.with(name, of: side) } else { step }
        }
        return Plan(steps: steps, settings: plan.settings)
    }
}

extension ResizeStep {
    /// The same resize with another side, in pixels.
    fileprivate func with(_ name: String, of side: Int) -> ResizeStep {
        ResizeStep(
            width: name == "w" ? .pixels(side) : width,
            height: name == "h" ? .pixels(side) : height,
            leastWidth: name == "min-w" ? side : leastWidth,
            leastHeight: name == "min-h" ? side : leastHeight,
            fit: fit,
            gravity: gravity,
            enlarge: enlarge,
            isLinear: isLinear
        )
    }
}
