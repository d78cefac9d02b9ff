extension PlanParameters {
    /// Applies the limits for requests without a signature to the parameters of the query.
    ///
    /// - Parameters:
    ///   - isPreset: whether there is a preset, of the query or of the source.
    ///   - isEnforced: whether what cannot be met is refused; otherwise it is left as it is.
    /// - Throws: 403, naming the parameter, the limit and what is allowed.
    mutating func limit(to limits: UnsignedLimits, isPreset: Bool, isEnforced: Bool) throws(RequestError) {
        if isEnforced {
            let hasBasis = isPreset || !limits.widths.isEmpty && stated.contains { $0.name == "w" }
            for parameter in stated where parameter.name != StepContext.dprName || limits.presets == .only {
                if let refusal = limits.refusal(of: parameter, hasBasis: hasBasis) { throw refusal }
            }
        }
        let statesSize = stated.contains { ResizeStep.names.contains($0.name) }
        // dpr scales the other steps of a preset, too.
        if !statesSize || limits.presets == .only, hasSize, let ratio = self[StepContext.dprName],
            stated.contains(ratio), let value = FixedDecimal(parsing: ratio.value),
            let listed = try limits.ratio(for: ratio, value, isEnforced: isEnforced)
        {
            snap(ratio, to: Parameter(ratio.name, listed.text))
        }
        guard statesSize, !limits.widths.isEmpty else { return }
        if isEnforced, let least = stated.first(where: { $0.name == "min-w" || $0.name == "min-h" }) {
            throw least.refusal("requires a signature where widths are listed (unsigned.widths)")
        }
        let ratio = self[StepContext.dprName]
        guard let width = self["w"] else {
            guard isEnforced else { return }
            let list = limits.widths.map(String.init).joined(separator: ", ")
            throw Parameter("h", "").refusal("requires w without a signature: one of \(list) (unsigned.widths)")
        }
        if isEnforced, width.value.hasSuffix("%") {
            throw width.refusal("in percent requires a signature where widths are listed (unsigned.widths)")
        }
        // Values that are not valid are left to the parser.
        guard let context = try? StepContext(attributes: [ratio].compactMap(\.self)),
            let old = Self.devicePixels(width, context),
            let new = try limits.width(for: width, inDevicePixels: old, scaledBy: ratio, isEnforced: isEnforced)
        else { return }
        if let height = self["h"], let tall = Self.devicePixels(height, context) {
            // The ratio of the sides is kept.
            let scaled = max(1, (tall * new * 2 + old) / (2 * old))
            guard scaled <= ResizeStep.longestSide else {
                guard isEnforced else { return }
                let most = ResizeStep.longestSide * old / new
                throw height.refusal(
                    "is at most \(most) for this w without a signature, which is raised to \(new) (unsigned.widths)"
                )
            }
            snap(height, to: Parameter("h", String(scaled), isInDevicePixels: true))
        }
        snap(width, to: Parameter("w", String(new), isInDevicePixels: true))
    }

    /// A side of a resize in device pixels; `nil` if it is not valid.
    private static func devicePixels(_ parameter: Parameter, _ context: StepContext) -> Int? {
        guard let side = try? parameter.integer(in: 1...ResizeStep.longestSide) else { return nil }
        guard !parameter.isInDevicePixels else { return side }
        return try? context.scaled(FixedDecimal(side), of: parameter, atMost: ResizeStep.longestSide).rounded
    }
}
