import ImagePlan

/// The request language: a plan's canonical text is the same plan.
enum QueryTarget: FuzzTarget {
    static let name = "query"

    static let seeds: [[UInt8]] = [
        "w=320&h=200&fit=cover&gravity=attention&dpr=2", "crop=10,20,30,40&w=50%25", "crop=100x50&gravity=0.3,0.7",
        "crop=16:9,north,0,3&pad=1.91:1,west&pad=90x100%25", "w=50%25&min-h=9&gravity=3px,4px&offset=9,-9,0",
        "crop=100x50&gravity=subject",
        "round=20&border=2,ff8800&bg=fff", "round=max&w=99&format=png", "blur=0.3&sharpen=1.5&pixelate=8",
        "flip=hv&rotate=45&expand=0", "tint=ff8800,multiply&filter=duotone:111111,eeeeee",
        "brightness=1.2&contrast=0.8&saturation=2&hue=90&gamma=2.2", "trim=10&pad=1,2,3,4&mask=circle",
        "watermark=photos/logo.png,southeast,10,10,0.5", "format=avif&q=jpeg:80,avif:60&effort=4&chroma=420",
        "format=auto&q=auto:good&max_bytes=20000", "lossless=1&near_lossless=60&format=webp", "meta=keep&strict=1",
        "anim=first&frame=3&page=2&dpi=144&speed=2&loop=3&reverse=1", "preset=small&w=10", "filename=a.png&download=1",
        "exp=1900000000&sig=abc&refresh=1&retry=1&wait-store=1&timing=1", "format=json", "format=lqip&w=auto&dpr=auto",
        "size=3&lang=de&utm_x=1&w=5", "url=http%3A%2F%2Fexample.com%2Fa.png&w=5", "watermark=text:Hello,center&w=9",
    ].map { Array($0.utf8) }

    static let dictionary = [
        "w=", "h=", "min-w=", "fit=cover", "fit=auto", "offset=", "gravity=", "dpr=", "enlarge=1", "linear=1", "crop=",
        "round=", "border=", "blur=",
        "sharpen=",
        "pixelate=",
        "flip=", "rotate=", "expand=0", "tint=", "filter=", "brightness=", "contrast=", "saturation=", "hue=", "gamma=",
        "trim=",
        "pad=", "mask=", "watermark=", "bg=", "frame=", "page=", "anim=", "dpi=", "strict=1", "speed=", "loop=",
        "reverse=1",
        "format=", "q=", "auto", "lossless=1", "progressive=0", "effort=", "chroma=", "max_bytes=", "meta=",
        "filename=",
        "download=1", "preset=small", "preset=none", "exp=", "sig=", "%2C", "%25", "%00", "ff8800", "1e9", "-0",
        "99999999",
    ]

    private static let options = ParseOptions(
        forwardNames: ["size", "lang"],
        ignoreNames: ["utm_*"],
        presets: (try? Preset(name: "small", text: "w=40&fit=cover&h=30&q=70")).map { ["small": $0] } ?? [:],
        takesURL: false,
        hints: ClientHintOptions(fields: Set(ClientHint.allCases), ladder: HintLadder())
    )

    static func run(_ bytes: [UInt8]) {
        var remote = options
        remote.takesURL = true
        _ = try? RequestLanguage.parse(query: bytes, options: remote)
        _ = QueryFilter(forward: ["size"], ignore: ["utm_*"]).apply(to: String(decoding: bytes, as: UTF8.self))
        guard let parsed = try? RequestLanguage.parse(query: bytes, options: options) else { return }
        check(parsed.plan)
    }

    private static func check(_ plan: Plan) {
        let text = plan.canonicalText
        do {
            expectEqual(try Plan(canonicalText: text), plan, text)
        } catch {
            fatalError("\(text): \(error)")
        }
    }
}
