import HTTPSemantics
import ImagePlan

extension ImgproxyOptionType {
    /// The options about the request.
    static let handling: [ImgproxyOptionType] = [
        ImgproxyOptionType("raw") { (option, options) throws(RequestError) in
            options.isRaw = try option.singleFlag()
        },
        // Has no effect on the image; caches in front of this server see another URL.
        ImgproxyOptionType("cachebuster", "cb", isPartOfPlan: false) { (option, _) throws(RequestError) in
            try option.takes(atMost: 1)
        },
        ImgproxyOptionType("expires", "exp", isPartOfPlan: false) { (option, options) throws(RequestError) in
            let time = try option.single()
            guard let seconds = Int(time), seconds < 1_000_000_000_000, time.utf8.first != UInt8(ascii: "+") else {
                throw option.error("must be a time in whole seconds since 1970")
            }
            options.expires = seconds > 0 ? seconds : nil
        },
        ImgproxyOptionType("filename", "fn", isPartOfPlan: false) { (option, options) throws(RequestError) in
            try option.takes(atMost: 2)
            guard let stated = option.argument(0) else { throw option.error("has no value") }
            let name = try filename(stated, isEncoded: try option.flag(1) ?? false, of: option)
            options.filename = Stated(name, by: option)
        },
        ImgproxyOptionType("return_attachment", "att", isPartOfPlan: false) { (option, options) throws(RequestError) in
            options.isAttachment = try option.singleFlag()
        },
        ImgproxyOptionType("preset", "pr", isPartOfPlan: false) { (option, options) throws(RequestError) in
            guard option.arguments.count == 1, options.preset == nil else {
                throw option.error("can only be one: write what several do into one preset")
            }
            let name = try option.single()
            guard Preset.isValid(name: name) else {
                throw option.error(
                    "has a name that no preset can have: letters, digits, '-', '_' and '.', and not 'none'"
                )
            }
            guard !options.hasOwn else {
                throw option.error("must stand before other options, which replace what it sets")
            }
            options.preset = Stated(name, by: option)
        },
        ImgproxyOptionType("skip_processing", "skp") { (option, _) throws(RequestError) in
            guard option.arguments.allSatisfy(\.isEmpty) else {
                throw option.error("cannot depend on the format of the image; raw:1 serves the original")
            }
        },
    ]

    /// The longest file name in bytes, that of our language.
    static let longestFilename = 255

    private static func filename(
        _ stated: String,
        isEncoded: Bool,
        of option: ImgproxyOption
    ) throws(RequestError) -> String {
        let name: String?
        if isEncoded {
            let text = stated.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
            name = Base64Decoder.decode(text, .url).flatMap { String(validating: $0, as: UTF8.self) }
        } else {
            name = try? PercentCoding.decode(Array(stated.utf8)[...])
        }
        guard let name, !name.isEmpty, name != ".", name != "..", name.utf8.count <= longestFilename,
            !name.unicodeScalars.contains(where: {
                $0 == "/" || $0 == "\\" || $0.properties.generalCategory == .control
            })
        else { throw option.error("must be a file name without a path, of at most \(longestFilename) bytes") }
        return name
    }
}
