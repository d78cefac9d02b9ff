/// A plan that scales an image and encodes it, and does nothing else: at most one resize and no other step.
///
/// Under overload, an image of another size may be served in the place of its result. Every other step, and every new one, makes a
/// plan that is no plain resize.
package struct PlainResize: Hashable, Sendable {
    /// The resize; `nil` for a plan without steps.
    package let resize: ResizeStep?
    package let settings: PlanSettings

    /// Creates the plain resize of a plan; `nil` if the plan contains another step, or describes the image as text.
    package init?(_ plan: Plan) {
        guard plan.steps.count <= 1, !plan.settings.format.isMetadata else { return nil }
        if let step = plan.steps.first {
            guard let resize = step as? ResizeStep else { return nil }
            self.resize = resize
        } else {
            resize = nil
        }
        settings = plan.settings
    }

    /// Parses a plan's canonical text; `nil` for a text that no request can contain, and as above.
    package init?(canonicalText: String) {
        guard let plan = try? Plan(canonicalText: canonicalText) else { return nil }
        self.init(plan)
    }

    private var isLinear: Bool { resize?.isLinear ?? false }

    /// The size of the result for an original of a size after EXIF orientation.
    package func outputSize(of source: PixelSize) -> PixelSize { geometry(of: source).output }

    /// Whether the result of another plan shows the same as this one's, no smaller on either side, so that a browser can scale it.
    ///
    /// The settings must be equal. The results must have the same proportions, and the original must be placed in both at the same
    /// position and size in proportion to them, all up to the rounding of pixels. A place that is searched in the pixels (`attention`,
    /// `entropy`, `subject`) may differ between sizes, so it is never the same.
    ///
    /// - Parameter source: the original's size after EXIF orientation, with sides of at least 1.
    package func isShown(by other: PlainResize, of source: PixelSize) -> Bool {
        guard settings == other.settings, isLinear == other.isLinear, let own = placement(of: source),
            let others = other.placement(of: source),
            others.output.width >= own.output.width, others.output.height >= own.output.height
        else { return false }
        return own.isEqual(to: others)
    }

    /// Whether the original itself shows the same as the result: as a whole, undistorted and without a canvas.
    ///
    /// - Parameter source: the original's size after EXIF orientation, with sides of at least 1.
    package func isShownByOriginal(of source: PixelSize) -> Bool {
        guard let own = placement(of: source) else { return false }
        return own.isEqual(to: Placement(output: source, left: 0, top: 0, scaled: source))
    }

    /// Whether the settings permit the original, cleaned of metadata, in the place of the result.
    ///
    /// Only settings about the effort and the loss of encoders may differ from their defaults, so a new setting forbids it.
    ///
    /// - Parameters:
    ///   - header: the original's sniffed header.
    ///   - length: the original's bytes.
    ///   - bucket: the bucket of `format=auto`; `nil` if the plan names its format.
    package func permitsOriginal(_ header: ImageHeader, length: Int, for bucket: FormatBucket?) -> Bool {
        var allowed = PlanSettings()
        allowed.format = settings.format
        allowed.quality = settings.quality
        allowed.encoding.isLossless = settings.encoding.isLossless
        allowed.encoding.isProgressive = settings.encoding.isProgressive
        allowed.encoding.effort = settings.encoding.effort
        allowed.encoding.chroma = settings.encoding.chroma
        allowed.encoding.nearLossless = settings.encoding.nearLossless
        allowed.encoding.usesSharpYUV = settings.encoding.usesSharpYUV
        allowed.encoding.alphaQuality = settings.encoding.alphaQuality
        allowed.encoding.maximumBytes = settings.encoding.maximumBytes
        guard settings == allowed, length <= settings.encoding.maximumBytes ?? .max else { return false }
        return switch settings.format {
        case .auto: Self.shownByAll.contains(header.format) || header.format == .webp && (bucket ?? .rest) >= .webp
        case .source: Self.shownByAll.contains(header.format) || header.format == .webp
        default: settings.format.image == header.format
        }
    }

    /// The formats that every browser shows.
    private static let shownByAll: Set<ImageFormat> = [.jpeg, .png, .gif]

    /// The plan with the least effort that its encoder can take; `nil` if a search decides the quality.
    ///
    /// An effort of 0 stores a PNG uncompressed, so formats that may be PNG take 1.
    ///
    /// - Parameter bucket: the bucket of `format=auto`; `nil` if the plan names its format.
    package static func fast(_ plan: Plan, for bucket: FormatBucket?) -> Plan? {
        var settings = plan.settings
        guard !settings.format.isMetadata, !settings.seeksQuality, settings.encoding.maximumBytes == nil else {
            return nil
        }
        let isCompressed =
            switch settings.format {
            case .jpeg, .webp, .avif: true
            case .auto: (bucket ?? .rest) >= .webp
            default: false
            }
        settings.encoding.effort = isCompressed ? 0 : 1
        return Plan(steps: plan.steps, settings: settings)
    }

    private func geometry(of source: PixelSize) -> ResizeGeometry {
        resize?.geometry(for: source) ?? ResizeGeometry(scaled: source, framing: .none)
    }

    private func placement(of source: PixelSize) -> Placement? {
        let geometry = geometry(of: source)
        switch geometry.framing {
        case .none: return Placement(output: geometry.scaled, left: 0, top: 0, scaled: geometry.scaled)
        case .crop(.rectangle(let part)):
            return Placement(output: part.size, left: -part.left, top: -part.top, scaled: geometry.scaled)
        case .crop(.searched): return nil
        case .canvas(let size, let left, let top):
            return Placement(output: size, left: left, top: top, scaled: geometry.scaled)
        }
    }

    /// Where a result shows the original.
    private struct Placement {
        var output: PixelSize
        /// The top left corner of the scaled original in the result; negative if it is cut off.
        var left: Int
        var top: Int
        /// The scaled original's size.
        var scaled: PixelSize

        /// Whether another placement is the same on each axis, in the same proportions.
        func isEqual(to larger: Placement) -> Bool {
            let horizontal = Axis(length: output.width, start: left, scaled: scaled.width)
            let vertical = Axis(length: output.height, start: top, scaled: scaled.height)
            let wider = Axis(length: larger.output.width, start: larger.left, scaled: larger.scaled.width)
            let higher = Axis(length: larger.output.height, start: larger.top, scaled: larger.scaled.height)
            return
                (wider.isProportional(higher, to: horizontal, vertical)
                || higher.isProportional(wider, to: vertical, horizontal))
                && horizontal.isEqual(to: wider) && vertical.isEqual(to: higher)
        }
    }

    /// One axis of a placement, in pixels.
    private struct Axis {
        var length: Int
        var start: Int
        var scaled: Int

        /// Whether another axis shows the same at its own scale, up to the rounding of both.
        func isEqual(to larger: Axis) -> Bool {
            let scale = Double(length) / Double(larger.length)
            return abs(Double(larger.start) * scale - Double(start)) <= 1 + scale
                && abs(Double(larger.scaled) * scale - Double(scaled)) <= 1 + scale
        }

        /// Whether the other axis of a result, at the scale of this one, is as long as in the smaller result, up to rounding.
        func isProportional(_ other: Axis, to own: Axis, _ otherOwn: Axis) -> Bool {
            let scale = Double(own.length) / Double(length)
            return abs(Double(other.length) * scale - Double(otherOwn.length)) <= 0.501 + 0.5 * scale
        }
    }
}
