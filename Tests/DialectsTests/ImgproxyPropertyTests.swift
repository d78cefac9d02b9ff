import Dialects
import ImagePlan
import TestSupport
import Testing

/// What holds for every URL, on random and on mutated ones.
@Suite(.timeLimit(.minutes(5)))
struct ImgproxyPropertyTests {
    /// Options with arguments that most of the time are valid.
    private static let options: [(names: [String], arguments: [[String]])] = [
        (["resize", "rs"], [types, sides, sides, flags, flags, gravities]),
        (["size", "s"], [sides, sides, flags, flags]),
        (["resizing_type", "rt"], [types]), (["width", "w"], [sides]), (["height", "h"], [sides]),
        (["min-width", "mw"], [sides]), (["min-height", "mh"], [sides]), (["zoom", "z"], [factors]),
        (["dpr"], [factors]),
        (["enlarge", "el"], [flags]), (["extend", "ex"], [flags, gravities, offsets, offsets]),
        (["extend_aspect_ratio", "extend_ar", "exar"], [flags, gravities]),
        (["gravity", "g"], [gravities, offsets, offsets]), (["gravity", "g"], [["sm", "obj", "ce"]]),
        (["gravity", "g"], [["fp"], ["0", "0.3", "1"], ["0.25", "0.999999"]]),
        (["crop", "c"], [lengths, lengths, gravities, offsets, offsets]), (["crop", "c"], [lengths]),
        (["crop_aspect_ratio", "crop_ar", "car"], [["1.91", "0", "1.3333333", "0.000001"]]),
        (["trim", "t"], [["10", "0.4", "255"]]),
        (["padding", "pd"], [sides, sides, sides, sides]), (["rotate", "rot"], [["90", "-90", "0", "720"]]),
        (["flip", "fl"], [flags, flags]), (["background", "bg"], [["ff8800", "f80", ""]]),
        (["background_alpha", "bga"], [["0.5"]]),
        (["contrast", "co"], [factors]), (["saturation", "sa"], [factors]),
        (["monochrome", "mc"], [["1", "0"], ["f80", ""]]),
        (["duotone", "dt"], [["1"], ["000", "102030"], ["fff"]]),
        (["colorize", "col"], [["0.5", "0"], ["f80"], flags]),
        (["blur", "bl"], [["0", "0.3", "2.5", "250"]]), (["sharpen", "sh"], [["0", "0.5", "10"]]),
        (["pixelate", "pix"], [["0", "1", "8", "16384"]]), (["quality", "q"], [["0", "80", "100"]]),
        (["format_quality", "fq"], [["jpg", "webp", "avif", "png", "jxl"], ["0", "80"]]),
        (["autoquality", "aq"], [["dssim", "none", "ml"]]), (["max_bytes", "mb"], [["0", "9000", "999999999"]]),
        (["format", "f", "ext"], [["jpg", "png", "webp", "avif", "gif", "jxl", "tiff", "best"]]),
        (["strip_metadata", "sm"], [flags]), (["keep_copyright", "kcr"], [flags]),
        (["jpeg_options", "jpgo"], [flags, flags]),
        (["png_options", "pngo"], [flags]), (["webp_options", "webpo"], [["lossless", "lossy"], flags]),
        (["avif_options", "avifo"], [["on", "off", "auto"]]), (["page", "pg"], [["0", "2", "9999"]]),
        (["disable_animation", "da"], [flags]), (["expires", "exp"], [["0", "1900000000", "-1", "999999999999"]]),
        (["filename", "fn"], [["a", "caf%C3%A9", "a%20b%2Bc%26d", "%25"]]), (["return_attachment", "att"], [flags]),
        (["cachebuster", "cb"], [["", "x"]]), (["raw"], [["0", "0", "0", "1"]]), (["watermark", "wm"], [["0"]]),
    ]
    private static let types = ["fit", "fill", "fill-down", "force", "auto", ""]
    private static let sides = ["0", "", "1", "300", "200", "777", "16384", "20000"]
    private static let flags = ["0", "1", "t", "false", ""]
    private static let factors = ["1", "2", "0.5", "1.333333", "3.7", "0.01", "10"]
    private static let gravities = ["ce", "no", "so", "ea", "we", "noea", "nowe", "soea", "sowe"]
    private static let offsets = ["0", "10", "-7.5", "0.25", "-0.999999", "100000", ""]
    private static let lengths = ["0", "1", "300.7", "0.5", "0.000001", "0.999999", "1000000"]

    private static func option(using generator: inout SeededGenerator) -> String {
        let (names, arguments) = options[Int.random(in: 0..<options.count, using: &generator)]
        let count = Int.random(in: 1...arguments.count, using: &generator)
        let values = arguments.prefix(count).map { $0.randomElement(using: &generator) ?? "" }
        return ([names.randomElement(using: &generator) ?? ""] + values).joined(separator: ":")
    }

    private static let ends = [
        "plain/http://a.example/b%3Fc.jpg@png", "plain/cat.jpg", "plain/local:///a/b.jpg@webp", "YWJj",
        "aHR0cDovL2EvYg.jpg",
        "enc/p5VjorNdhs7mRRw8gA9TWoRlGci3l1kuzqN43UQlRaRIQ0qtBKW3qFABIsx-ZRz_cVc8iVTYbhsNsxNBL1BHaQ.avif",
    ]

    private static func url(using generator: inout SeededGenerator) -> String {
        let options = (0..<Int.random(in: 0...6, using: &generator)).map { _ in option(using: &generator) }
        let code =
            ["_", "unsafe", "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"].randomElement(using: &generator) ?? "_"
        return (["", code] + options + [ends.randomElement(using: &generator) ?? ""]).joined(separator: "/")
    }

    /// The URL that a mutation of bytes gives.
    private static func mutated(_ url: String, using generator: inout SeededGenerator) -> [UInt8] {
        var path = Array(url.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !path.isEmpty {
            let place = Int.random(in: 0..<path.count, using: &generator)
            let byte = marks[Int.random(in: 0..<marks.count, using: &generator)]
            switch Int.random(in: 0...4, using: &generator) {
            case 0: path.remove(at: place)
            case 1: path.insert(byte, at: place)
            case 2: path[place] = UInt8.random(in: 0...255, using: &generator)
            case 3: path.removeSubrange(place..<min(path.count, place + Int.random(in: 1...9, using: &generator)))
            default: path[place] = byte
            }
        }
        return path
    }

    private static let marks = Array("/:%@.-_0129afrsx\u{0}\u{7F}é?&=+,".utf8)

    @Test(arguments: 1...2)
    func `every translation is a request of ours, and its text has one form`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var (translated, unread) = (0, [String]())
        for _ in 0..<5_000 {
            let url = Self.url(using: &generator)
            guard let translation = try? Dialect.imgproxy.translate(path: Array(url.utf8), query: []) else { continue }
            translated += 1
            let plan = try? RequestLanguage.parse(query: translation.query, options: ParseOptions()).plan
            guard let plan, (try? Plan(canonicalText: plan.canonicalText)) == plan else {
                unread.append("\(url) became \(translation.query)")
                continue
            }
        }
        #expect(unread.isEmpty, "\(unread.prefix(5))")
        // The others state sizes beyond the limits, or what cannot be combined.
        #expect(translated > 2_500, "\(translated)")
    }

    // Ten parts, so that other tests run between them.
    @Test(arguments: 1...10)
    func `mutated URLs are translated, or refused by name`(seed: UInt64) {
        var generator = SeededGenerator(seed: 100 + seed)
        let urls = (0..<500).map { _ in Self.url(using: &generator) }
        var (refused, wrong) = (0, [String]())
        for index in 0..<10_000 {
            let path = Self.mutated(urls[index % urls.count], using: &generator)
            do {
                let query = try Dialect.imgproxy.translate(path: path, query: []).query
                // A preset would have to exist.
                if !query.contains("preset="),
                    (try? RequestLanguage.parse(query: query, options: ParseOptions())) == nil
                {
                    wrong.append("\(String(decoding: path, as: UTF8.self)) became \(query)")
                }
            } catch {
                refused += 1
                if error.parameter.isEmpty || error.reason.isEmpty || error.status != .malformed {
                    wrong.append("\(String(decoding: path, as: UTF8.self)): \(error)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
        #expect(refused > 1_000 && refused < 9_900, "\(refused)")
    }

    @Test func `a long path takes no longer than its length`() {
        let clock = ContinuousClock()
        for part in ["w:9/", "g:no:1:1/", ":", "a", "/", "%3A", "plain/"] {
            let path = Array(("/_/" + String(repeating: part, count: 30_000 / part.utf8.count) + "plain/a").utf8)
            let time = clock.measure { _ = try? Dialect.imgproxy.translate(path: path, query: []) }
            #expect(time < .seconds(1), "\(part): \(time)")
        }
    }
}
