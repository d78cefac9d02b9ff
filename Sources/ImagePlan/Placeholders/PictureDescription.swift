/// What `format=json` answers.
///
/// Size, transparency, colours and hashes are those of the picture that the steps make; format, bytes, frames, orientation and EXIF
/// fields are the original's.
package struct PictureDescription: Hashable, Sendable {
    /// Stands before the plan where the source gives out no metadata (`originals: clean`): no request can spell it, and what is
    /// cached with the camera's facts is another result.
    private static let cleanPrefix = MetadataCleaner.planText + " "

    /// The text that stands for a plan whose description says nothing of the camera.
    package static func cleanPlan(_ canonicalText: String) -> String { cleanPrefix + canonicalText }

    /// A plan's canonical text, and whether its description says nothing of the camera.
    package static func reading(_ plan: String) -> (canonicalText: String, isClean: Bool) {
        plan.hasPrefix(cleanPrefix) ? (String(plan.dropFirst(cleanPrefix.count)), true) : (plan, false)
    }

    /// Upright, in pixels, after the steps.
    package var size: PixelSize
    package var hasAlpha: Bool
    /// The original's.
    package var format: ImageFormat
    package var bytes: Int
    package var frames: Int
    /// EXIF orientation, 1–8.
    package var orientation: Int
    package var camera: CameraFacts
    /// How the original plays; `nil` for a still.
    package var playback: Playback?
    /// What colours and hashes are computed from.
    package var picture: TinyPicture

    /// How an animation plays.
    package struct Playback: Hashable, Sendable {
        /// Rounds; 0 is for ever.
        package var loop: Int
        /// Milliseconds of one round, as browsers show it.
        package var duration: Int

        /// Creates it.
        package init(loop: Int, duration: Int) {
            self.loop = loop
            self.duration = duration
        }
    }

    /// Puts a description together.
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

    /// The JSON text (RFC 8259), with a line feed at its end.
    package var json: String {
        let palette = ColorPalette(of: picture)
        let colors = palette.entries.map { "{\"color\":\"#\($0.color.text)\",\"share\":\(Self.thousandths($0.share))}" }
        let dominant = palette.dominant.map { "\"#\($0.text)\"" } ?? "null"
        let members = [
            "\"width\":\(size.width)", "\"height\":\(size.height)", "\"hasAlpha\":\(hasAlpha)",
            "\"type\":\"\(format.mediaType)\"", "\"bytes\":\(bytes)", "\"frames\":\(frames)",
            "\"orientation\":\(orientation)",
        ]
        let played = playback.map { ["\"loop\":\($0.loop)", "\"duration\":\($0.duration)"] } ?? []
        let looks = [
            "\"color\":{\"dominant\":\(dominant),\"palette\":[\(colors.joined(separator: ","))]}",
            "\"blurhash\":\(JSONText.quoted(BlurHash.encode(picture)))",
            "\"thumbhash\":\"\(Base64.encode(ThumbHash.encode(picture)))\"",
            "\"exif\":{\(camera.members.joined(separator: ","))}",
        ]
        return "{\((members + played + looks).joined(separator: ","))}\n"
    }

    /// A share with three decimals.
    private static func thousandths(_ share: Double) -> String {
        let value = Int((min(1, max(0, share)) * 1000).rounded())
        let digits = String(value % 1000)
        return value == 1000 ? "1" : "0." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
