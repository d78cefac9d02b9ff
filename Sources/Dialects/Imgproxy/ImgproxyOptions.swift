import ImagePlan

/// What the options of an imgproxy URL set; the last of equal options counts.
struct ImgproxyOptions {
    /// `resizing_type`.
    enum Resizing: String, CaseIterable {
        case fit, fill, force, auto
        case fillDown = "fill-down"
    }

    /// `extend` and `extend_aspect_ratio`.
    struct Extension {
        var isOn = false
        var option = ""
        var gravity = ImgproxyGravity()
    }

    // Geometry, in pixels; 0 is none.
    var resizing: Stated<Resizing>?
    var width: Stated<Int>?
    var height: Stated<Int>?
    var leastWidth: Stated<Int>?
    var leastHeight: Stated<Int>?
    var zoom: Stated<(x: FixedDecimal, y: FixedDecimal)>?
    var dpr: Stated<FixedDecimal>?
    var enlarge: Bool?
    var canvas = Extension()
    var canvasRatio = Extension()
    var gravity: ImgproxyGravity?
    var cropWidth = FixedDecimal(0)
    var cropHeight = FixedDecimal(0)
    var cropGravity: ImgproxyGravity?
    var cropRatio: Stated<FixedDecimal>?
    var trim: Int?
    /// Top, right, bottom, left.
    var padding: Stated<[Int]>?
    /// 0, 90, 180 or 270.
    var rotation = 0
    var flipsHorizontally = false
    var flipsVertically = false

    // Pixels.
    var background: Color?
    var backgroundAlpha = FixedDecimal(1)
    var brightness = 0
    var contrast = FixedDecimal(1)
    var saturation = FixedDecimal(1)
    var monochrome: Color?
    var duotone: (dark: Color, light: Color)?
    var colorize: (color: Color, keepsAlpha: Bool)?
    var blur: FixedDecimal?
    var sharpen: FixedDecimal?
    var pixelate: Int?

    // Output.
    var format: ImgproxyFormat?
    var quality: Int?
    var formatQualities: [LossyFormat: Int] = [:]
    var seeksQuality = false
    var maximumBytes: Int?
    var stripsMetadata: Bool?
    var keepsCopyright: Bool?
    var jpeg = ImgproxyEncoders.JPEG()
    var png = ImgproxyEncoders.PNG()
    var webp = ImgproxyEncoders.WebP()
    var avif = ImgproxyEncoders.AVIF()
    var page: Stated<Int>?
    var isStill = false

    // The request.
    var isRaw = false
    var preset: Stated<String>?
    var expires: Int?
    var filename: Stated<String>?
    var isAttachment = false
    /// Whether an option that a preset could set has been read.
    var hasOwn = false
}

/// An option's names and how it is read.
struct ImgproxyOptionType: Sendable {
    typealias Reader = @Sendable (ImgproxyOption, inout ImgproxyOptions) throws(RequestError) -> Void

    /// The full name and its abbreviations.
    let names: [String]
    /// Whether a preset could set it.
    let isPartOfPlan: Bool
    let read: Reader

    init(_ names: String..., isPartOfPlan: Bool = true, read: @escaping Reader) {
        self.names = names
        self.isPartOfPlan = isPartOfPlan
        self.read = read
    }

    /// All options, by any of their names.
    static let byName: [String: ImgproxyOptionType] = {
        var byName: [String: ImgproxyOptionType] = [:]
        for type in geometry + pixels + output + handling + refused {
            for name in type.names { byName[name] = type }
        }
        return byName
    }()

    private static let names = byName.keys.sorted()

    /// Reads an option.
    ///
    /// - Throws: 400, naming the option as written.
    static func read(_ option: ImgproxyOption, into options: inout ImgproxyOptions) throws(RequestError) {
        guard !option.name.isEmpty else {
            throw RequestError(parameter: "path", reason: "has an option without a name")
        }
        guard let type = byName[option.name] else {
            throw option.error("is not an option of imgproxy\(NearestName.hint(option.name, among: names))")
        }
        try type.read(option, &options)
        if type.isPartOfPlan { options.hasOwn = true }
    }
}
