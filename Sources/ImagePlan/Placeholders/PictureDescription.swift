/// The description of an image that `format=json` returns.
///
/// Size, transparency, colours and hashes describe the transformed image; format, bytes, frames, pages, orientation and EXIF fields
/// describe the original.
package struct PictureDescription: Hashable, Sendable {
    /// The prefix of plans whose description omits camera data because the source serves no metadata (`originals: clean`).
    ///
    /// No request can contain it, and it separates the cache keys of the two descriptions.
    private static let cleanPrefix = MetadataCleaner.planText + " "

    /// The plan text for a description without camera data.
    package static func cleanPlan(_ canonicalText: String) -> String { cleanPrefix + canonicalText }

    /// Splits a plan text into the canonical text and whether to omit camera data.
    package static func reading(_ plan: String) -> (canonicalText: String, isClean: Bool) {
        plan.hasPrefix(cleanPrefix) ? (String(plan.dropFirst(cleanPrefix.count)), true) : (plan, false)
    }

    /// The size in pixels, upright, after the steps.
    package var size: PixelSize
    package var hasAlpha: Bool
    /// The format of the original.
    package var format: ImageFormat
    package var bytes: Int
    package var frames: Int
    /// The number of pages of the original, or of images of an icon.
    package var pages = 1
    /// EXIF orientation, 1–8.
    package var orientation: Int
    package var camera: CameraFacts
    /// The playback of the original; `nil` for a still.
    package var playback: Playback?
    /// The colours of the original.
    package var colours = Colours()
    /// The colour of one pixel of the result; `nil` if none is requested.
    package var pixel: Pixel?
    /// The thumbnail from which colours and hashes are computed.
    package var picture: TinyPicture

    /// The playback of an animation.
    package struct Playback: Hashable, Sendable {
        /// The loop count; 0 is for ever.
        package var loop: Int
        /// The duration of one loop in milliseconds, as browsers play it.
        package var duration: Int

        /// Creates a playback.
        package init(loop: Int, duration: Int) {
            self.loop = loop
            self.duration = duration
        }
    }

    /// The colour encoding of the original.
    package struct Colours: Hashable, Sendable {
        /// Bits per channel.
        package var depth = 8
        /// `srgb`, `display-p3`, `bt2020` and the like, or the kind of channels if the space has no common name: `rgb`, `gray`,
        /// `cmyk`, `lab`.
        package var space = "srgb"
        /// The description of the embedded profile; `nil` without one.
        package var profile: String?
        /// Whether the image has a high dynamic range: PQ, HLG, or a gain map.
        package var isHDR = false

        /// Creates the colours of a plain sRGB image.
        package init() {}

        fileprivate var members: [String] {
            ["\"depth\":\(depth)", "\"space\":\(JSONText.quoted(space))"]
                + (profile.map { ["\"profile\":\(JSONText.quoted($0))"] } ?? []) + ["\"hdr\":\(isHDR)"]
        }
    }

    /// A pixel and its colour.
    package struct Pixel: Hashable, Sendable {
        package var point: PixelPoint
        package var color: Color

        /// Creates a pixel.
        package init(point: PixelPoint, color: Color) {
            self.point = point
            self.color = color
        }

        fileprivate var member: String {
            "\"pixel\":{\"x\":\(point.x),\"y\":\(point.y),\"color\":\"#\(color.text)\"}"
        }
    }

    /// Creates a description.
    package init(
        size: PixelSize,
        hasAlpha: Bool,
        format: ImageFormat,
        bytes: Int,
        frames: Int,
        orientation: Int,
        camera: CameraFacts,
        picture: TinyPicture
    ) {
        self.size = size
        self.hasAlpha = hasAlpha
        self.format = format
        self.bytes = bytes
        self.frames = frames
        self.orientation = orientation
        self.camera = camera
        self.picture = picture
    }

    /// The description as JSON (RFC 8259), with a trailing line feed.
    package var json: String {
        let palette = ColorPalette(of: picture)
        let colors = palette.entries.map { "{\"color\":\"#\($0.color.text)\",\"share\":\(Self.thousandths($0.share))}" }
        let dominant = palette.dominant.map { "\"#\($0.text)\"" } ?? "null"
        let members = [
            "\"width\":\(size.width)", "\"height\":\(size.height)", "\"hasAlpha\":\(hasAlpha)",
            "\"type\":\"\(format.mediaType)\"", "\"bytes\":\(bytes)", "\"frames\":\(frames)",
            "\"orientation\":\(orientation)",
        ]
        let paged = pages > 1 ? ["\"pages\":\(pages)"] : []
        let played = playback.map { ["\"loop\":\($0.loop)", "\"duration\":\($0.duration)"] } ?? []
        let looks = [
            "\"color\":{\"dominant\":\(dominant),\"palette\":[\(colors.joined(separator: ","))]}",
            "\"blurhash\":\(JSONText.quoted(BlurHash.encode(picture)))",
            "\"thumbhash\":\"\(Base64.encode(ThumbHash.encode(picture)))\"",
            "\"exif\":{\(camera.members.joined(separator: ","))}",
        ]
        let pixels = pixel.map { [$0.member] } ?? []
        return "{\((members + paged + played + colours.members + pixels + looks).joined(separator: ","))}\n"
    }

    /// Formats a share with three decimals.
    private static func thousandths(_ share: Double) -> String {
        let value = Int((min(1, max(0, share)) * 1000).rounded())
        let digits = String(value % 1000)
        return value == 1000 ? "1" : "0." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
