import ImagePlan

extension ImgproxyOptionType {
    private static let sides = 0...1_000_000
    private static let factors = FixedDecimal(millionths: 1)...FixedDecimal(100)

    /// The options that decide sizes and places.
    static let geometry: [ImgproxyOptionType] = [
        ImgproxyOptionType("resize", "rs") { (option, options) throws(RequestError) in
            try option.takes(atMost: 8)
            if option.argument(0) != nil { options.resizing = try resizing(option) }
            try readSize(option, from: 1, into: &options)
        },
        ImgproxyOptionType("size", "s") { (option, options) throws(RequestError) in
            try option.takes(atMost: 7)
            try readSize(option, from: 0, into: &options)
        },
        ImgproxyOptionType("resizing_type", "rt") { (option, options) throws(RequestError) in
            _ = try option.single()
            options.resizing = try resizing(option)
        },
        ImgproxyOptionType("width", "w") { (option, options) throws(RequestError) in
            options.width = Stated(try option.singleInteger(in: sides), by: option)
        },
        ImgproxyOptionType("height", "h") { (option, options) throws(RequestError) in
            options.height = Stated(try option.singleInteger(in: sides), by: option)
        },
        ImgproxyOptionType("min-width", "mw") { (option, options) throws(RequestError) in
            options.leastWidth = Stated(try option.singleInteger(in: sides), by: option)
        },
        ImgproxyOptionType("min-height", "mh") { (option, options) throws(RequestError) in
            options.leastHeight = Stated(try option.singleInteger(in: sides), by: option)
        },
        ImgproxyOptionType("zoom", "z") { (option, options) throws(RequestError) in
            try option.takes(atMost: 2)
            guard let x = try option.number(0, in: factors) else { throw option.error("has no value") }
            options.zoom = Stated((x, try option.number(1, in: factors) ?? x), by: option)
        },
        ImgproxyOptionType("dpr") { (option, options) throws(RequestError) in
            options.dpr = Stated(try option.singleNumber(in: factors), by: option)
        },
        ImgproxyOptionType("enlarge", "el") { (option, options) throws(RequestError) in
            options.enlarge = try option.singleFlag()
        },
        ImgproxyOptionType("extend", "ex") { (option, options) throws(RequestError) in
            try read(option, from: 0, into: &options.canvas)
        },
        ImgproxyOptionType("extend_aspect_ratio", "extend_ar", "exar") { (option, options) throws(RequestError) in
            try read(option, from: 0, into: &options.canvasRatio)
        },
        ImgproxyOptionType("gravity", "g") { (option, options) throws(RequestError) in
            var gravity = options.gravity ?? ImgproxyGravity()
            try gravity.read(option, from: 0)
            options.gravity = gravity
        },
        ImgproxyOptionType("crop", "c") { (option, options) throws(RequestError) in
            let range = FixedDecimal(0)...FixedDecimal(Measure.longestSide)
            guard let width = try option.number(0, in: range) else { throw option.error("has no value") }
            options.cropWidth = width
            options.cropHeight = try option.number(1, in: range) ?? options.cropHeight
            guard option.arguments.count > 2 else { return }
            var gravity = options.cropGravity ?? ImgproxyGravity()
            try gravity.read(option, from: 2)
            options.cropGravity = gravity
        },
        ImgproxyOptionType("crop_aspect_ratio", "crop_ar", "car") { (option, options) throws(RequestError) in
            try option.takes(atMost: 2)
            let range = FixedDecimal(0)...FixedDecimal(1000)
            guard let ratio = try option.number(0, in: range) else { throw option.error("has no value") }
            _ = try option.flag(1)
            options.cropRatio = Stated(ratio, by: option)
        },
        ImgproxyOptionType("trim", "t") { (option, options) throws(RequestError) in
            try option.takes(atMost: 4)
            guard option.argument(1) == nil else {
                throw option.error("cannot name a colour: the margin is what looks like the top left corner")
            }
            guard try option.flag(2) != true, try option.flag(3) != true else {
                throw option.error("cannot cut equal parts from opposite sides")
            }
            let threshold = try option.number(0, in: FixedDecimal(0)...FixedDecimal(255))
            // The threshold here is a whole number of levels, and 0 is none.
            options.trim = threshold.map { max(1, $0.rounded) }
        },
        ImgproxyOptionType("padding", "pd") { (option, options) throws(RequestError) in
            try option.takes(atMost: 4)
            let old = options.padding?.value ?? [0, 0, 0, 0]
            let top = try option.integer(0, in: sides) ?? old[0]
            let right = try option.integer(1, in: sides) ?? top
            let bottom = try option.integer(2, in: sides) ?? top
            let left = try option.integer(3, in: sides) ?? right
            options.padding = Stated([top, right, bottom, left], by: option)
        },
        ImgproxyOptionType("auto_rotate", "ar") { (option, _) throws(RequestError) in
            guard try option.singleFlag() else {
                throw option.error("cannot be off: images are always turned upright")
            }
        },
        ImgproxyOptionType("rotate", "rot") { (option, options) throws(RequestError) in
            let angle = try option.singleInteger(in: -1_000_000...1_000_000)
            guard angle.isMultiple(of: 90) else { throw option.error("must be a multiple of 90 in imgproxy") }
            options.rotation = ((angle % 360) + 360) % 360
        },
        ImgproxyOptionType("flip", "fl") { (option, options) throws(RequestError) in
            try option.takes(atMost: 2)
            options.flipsHorizontally = try option.flag(0) ?? options.flipsHorizontally
            options.flipsVertically = try option.flag(1) ?? options.flipsVertically
        },
    ]

    private static func resizing(_ option: ImgproxyOption) throws(RequestError) -> Stated<ImgproxyOptions.Resizing>? {
        let words = ImgproxyOptions.Resizing.allCases.map(\.rawValue)
        return try option.word(0, of: words).flatMap { ImgproxyOptions.Resizing(rawValue: $0) }
            .map { Stated($0, by: option) }
    }

    /// Reads `%width:%height:%enlarge:%extend:%gravity`, each perhaps empty.
    private static func readSize(
        _ option: ImgproxyOption,
        from first: Int,
        into options: inout ImgproxyOptions
    ) throws(RequestError) {
        if let width = try option.integer(first, in: sides) { options.width = Stated(width, by: option) }
        if let height = try option.integer(first + 1, in: sides) { options.height = Stated(height, by: option) }
        options.enlarge = try option.flag(first + 2) ?? options.enlarge
        if option.argument(first + 3) != nil { try read(option, from: first + 3, into: &options.canvas) }
    }

    /// Reads `%extend:%gravity`.
    private static func read(
        _ option: ImgproxyOption,
        from first: Int,
        into canvas: inout ImgproxyOptions.Extension
    ) throws(RequestError) {
        guard option.arguments.count <= first + 4 else { throw option.error("has too many arguments") }
        guard let isOn = try option.flag(first) else { throw option.error("has no value") }
        canvas.isOn = isOn
        canvas.option = option.name
        if option.arguments.count > first + 1 {
            try canvas.gravity.read(option, from: first + 1, mayCut: false)
        }
    }
}
