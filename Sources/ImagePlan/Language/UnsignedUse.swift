/// What requests without a signature may ask of a source (`unsigned`).
package enum UnsignedUse: Hashable, Sendable {
    /// The same as signed requests.
    case any
    /// Nothing.
    case none
    /// What the limits allow.
    case limited(UnsignedLimits)

    /// The limits; `nil` if there are none, or if nothing is allowed.
    package var limits: UnsignedLimits? {
        if case .limited(let limits) = self { limits } else { nil }
    }
}

/// Limits for requests without a signature, which bound the number and the cost of variants that anybody can request.
///
/// They apply to what the query itself states; presets are the operator's.
package struct UnsignedLimits: Hashable, Sendable {
    /// Where a plan comes from.
    package enum Presets: String, Hashable, Sendable, CaseIterable {
        /// The query may have any step.
        case any
        /// The steps are those of a preset, or a listed width; the query may state `dpr`, `format`, and what has a limit of its own.
        case only
    }

    /// What happens to a width that is not listed.
    package enum Snap: String, Hashable, Sendable, CaseIterable {
        /// The next larger one takes its place, or the largest.
        case up
        /// The request is refused.
        case refuse
    }

    package var presets = Presets.any
    /// The allowed widths in device pixels, ascending; empty for all.
    package var widths: [Int] = []
    /// `nil` is `.up`.
    package var snap: Snap?
    /// The allowed values of `format` besides `auto`; empty for all.
    package var formats: [FormatSetting] = []
    /// The highest `effort`; `nil` for no limit.
    package var effort: Int?
    /// The maximum pixels of the result; `nil` for no limit.
    package var pixels: Int?

    /// The allowed values of `dpr` for a size that a preset states.
    package static let ratios = [
        FixedDecimal(1), FixedDecimal(millionths: 1_500_000), FixedDecimal(2), FixedDecimal(3),
    ]

    /// Creates limits that limit nothing.
    package init() {}
}

extension UnsignedLimits {
    /// Why a request must not have a parameter; `nil` if it may.
    ///
    /// Values that are not valid are left to the parser.
    ///
    /// - Parameter hasBasis: whether the request has a preset, its own or the source's, or a width that `widths` limits.
    func refusal(of parameter: Parameter, hasBasis: Bool) -> RequestError? {
        if presets == .only {
            guard hasBasis else {
                let basis = widths.isEmpty ? "a preset" : "a preset or w"
                return parameter.refusal("requires \(basis) without a signature (unsigned.presets)")
            }
            let isAllowed =
                switch parameter.name {
                case StepContext.dprName, PlanSetting.format.name: true
                case "w": !widths.isEmpty
                case PlanSetting.effort.name: effort != nil
                default: false
                }
            guard isAllowed else {
                return parameter.refusal(
                    "requires a signature: without one, the steps are those of presets (unsigned.presets)"
                )
            }
        }
        switch parameter.name {
        case PlanSetting.format.name: return refusal(ofFormat: parameter)
        case PlanSetting.effort.name:
            guard let effort, let stated = try? parameter.integer(in: EncodingSettings.efforts), stated > effort else {
                return nil
            }
            return parameter.refusal("is at most \(effort) without a signature (unsigned.effort)")
        default: return nil
        }
    }

    private func refusal(ofFormat parameter: Parameter) -> RequestError? {
        var settings = PlanSettings()
        guard (try? PlanSetting.format.read(parameter, &settings)) != nil, settings.format != .auto else { return nil }
        guard presets == .only || !formats.isEmpty, !formats.contains(settings.format) else { return nil }
        let allowed = [FormatSetting.auto.rawValue] + formats.map(\.rawValue)
        return parameter.refusal("is one of \(allowed.joined(separator: ", ")) without a signature (unsigned.formats)")
    }

    /// The listed width that takes the place of another; `nil` if the width is listed.
    ///
    /// What `auto` comes to differs between clients that request the same URL: it is rounded even with `snap: refuse`.
    ///
    /// - Parameters:
    ///   - width: the value of the parameter in device pixels.
    ///   - ratio: the `dpr` that scales it.
    /// - Throws: 403, naming the list and the nearest width.
    func width(
        for parameter: Parameter,
        inDevicePixels width: Int,
        scaledBy ratio: Parameter?,
        isEnforced: Bool
    ) throws(RequestError) -> Int? {
        guard !widths.contains(width), let largest = widths.last else { return nil }
        guard snap == .refuse, !parameter.isAutomatic, ratio?.isAutomatic != true else {
            return widths.first { $0 >= width } ?? largest
        }
        guard isEnforced else { return nil }
        let nearest = widths.min { abs($0 - width) < abs($1 - width) } ?? largest
        let list = widths.map(String.init).joined(separator: ", ")
        throw parameter.refusal(
            "must come to one of the widths \(list) without a signature (unsigned.widths); the nearest to \(width) is \(nearest)"
        )
    }

    /// The listed ratio that takes the place of another; `nil` if it is listed.
    ///
    /// That of `dpr=auto` is rounded even with `snap: refuse`, as widths are.
    ///
    /// - Throws: 403, naming the list and the nearest ratio.
    func ratio(for parameter: Parameter, _ ratio: FixedDecimal, isEnforced: Bool) throws(RequestError) -> FixedDecimal?
    {
        let ratios = Self.ratios
        guard presets == .only || !widths.isEmpty, !ratios.contains(ratio), let largest = ratios.last else {
            return nil
        }
        guard snap == .refuse, !parameter.isAutomatic else { return ratios.first { $0 >= ratio } ?? largest }
        guard isEnforced else { return nil }
        let nearest = ratios.min {
            abs($0.millionths - ratio.millionths) < abs($1.millionths - ratio.millionths)
        }
        throw parameter.refusal(
            "is one of \(ratios.map(\.text).joined(separator: ", ")) without a signature; the nearest to \(ratio.text) is "
                + (nearest ?? largest).text
        )
    }
}
