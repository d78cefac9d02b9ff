import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RequestRefusalTests {
    @Test(arguments: [
        // Sizes.
        ("w=0", "w"), ("w=16385", "w"), ("w=-1", "w"), ("w=1.5", "w"), ("w=1e3", "w"), ("w=nan", "w"), ("w=inf", "w"),
        ("w=0x10", "w"), ("w=+5", "w"), ("w=%205", "w"), ("w=5%20", "w"), ("w=", "w"), ("w", "w"), ("h=0", "h"),
        ("w=99999999999999999999", "w"), ("w=٣", "w"), ("w=3&w=3", "w"), ("h=3&w=3&h=4", "h"),
        // dpr.
        ("w=3&dpr=0.5", "dpr"), ("w=3&dpr=4.1", "dpr"), ("w=3&dpr=nan", "dpr"), ("dpr=2", "dpr"),
        ("blur=3&dpr=2", "dpr"),
        ("w=9000&dpr=2", "dpr"), ("w=1&dpr=2&blur=200", "dpr"), ("w=1&dpr=2&round=9000", "dpr"),
        ("w=1&dpr=2&border=9000,fff", "dpr"), ("w=1&dpr=1&dpr=1", "dpr"),
        // Attributes.
        ("fit=cover", "fit"), ("fit=cover&blur=3", "fit"), ("w=3&fit=inside", "fit"), ("w=3&fit=Cover", "fit"),
        ("expand=0", "expand"), ("w=3&expand=0", "expand"), ("rotate=9&expand=2", "expand"),
        ("rotate=9&expand=0&expand=0", "expand"), ("enlarge=1", "enlarge"), ("w=3&enlarge=2", "enlarge"),
        ("linear=1", "linear"), ("w=3&linear=yes", "linear"),
        ("w=3&enlarge=true", "enlarge"),
        ("gravity=north", "gravity"), ("crop=1,1,2,2&gravity=north", "gravity"), ("w=3&gravity=up", "gravity"),
        ("w=3&gravity=1.1,0", "gravity"), ("w=3&gravity=0.5", "gravity"), ("w=3&gravity=0.1,0.2,0.3", "gravity"),
        ("w=3&gravity=0.1,", "gravity"), ("w=3&gravity=-0.1,0", "gravity"), ("w=3&fit=cover&fit=cover", "fit"),
        // Steps.
        ("crop=1,1,0,5", "crop"), ("crop=1,1,5", "crop"), ("crop=0x5", "crop"), ("crop=5x5x5", "crop"),
        ("crop=5", "crop"),
        ("crop=101%25x5", "crop"), ("crop=0%25x5", "crop"), ("crop=1,1,1e2,5", "crop"), ("crop=1.5,1,5,5", "crop"),
        ("crop=,,,", "crop"), ("round=0", "round"), ("round=0,0,0,0", "round"), ("round=-1", "round"),
        ("round=1,2", "round"), ("round=101%25", "round"), ("round=big", "round"), ("round=16385", "round"),
        ("border=2", "border"), ("border=0,fff", "border"), ("border=2,ggg", "border"), ("border=2,ffff", "border"),
        ("blur=0.29", "blur"), ("blur=250.1", "blur"), ("blur=0", "blur"), ("blur=", "blur"), ("blur=1e1", "blur"),
        ("blur=5.", "blur"), ("sharpen=0.2", "sharpen"), ("sharpen=10.01", "sharpen"), ("flip=x", "flip"),
        ("flip=H", "flip"), ("rotate=inf", "rotate"), ("rotate=nan", "rotate"), ("rotate=1e2", "rotate"),
        ("rotate=9999999999", "rotate"), ("rotate=ninety", "rotate"),
        // Settings.
        ("bg=red", "bg"), ("bg=12345", "bg"), ("bg=fff&bg=fff", "bg"), ("q=0", "q"), ("q=101", "q"), ("q=80.0", "q"),
        ("q=automatic", "q"), ("q=auto:fine", "q"), ("q=auto:", "q"), ("q=jpeg:0", "q"), ("q=jpeg:80,avif", "q"),
        ("q=80,avif:60", "q"), ("q=jpeg:80,jpg:70", "q"), ("q=gif:80", "q"), ("q=jpeg:80:90", "q"), ("q=jpeg:80,", "q"),
        ("q=jpeg:auto", "q"), ("q=,", "q"), ("q=:", "q"), ("q=JPEG:80", "q"),
        ("format=bmp", "format"), ("format=bmp", "format"), ("format=JPEG", "format"),
        ("format=png&format=png", "format"), ("lossless=2", "lossless"), ("lossless=true", "lossless"),
        ("progressive=", "progressive"), ("effort=10", "effort"), ("effort=-1", "effort"), ("effort=1.5", "effort"),
        ("chroma=422", "chroma"), ("chroma=4:4:4", "chroma"), ("near_lossless=101", "near_lossless"),
        ("near_lossless=-1", "near_lossless"), ("sharp_yuv=yes", "sharp_yuv"), ("alpha_q=101", "alpha_q"),
        ("max_bytes=0", "max_bytes"), ("max_bytes=1000000000", "max_bytes"), ("max_bytes=20k", "max_bytes"),
        ("effort=4&effort=4", "effort"), ("anim=some", "anim"), ("frame=-1", "frame"), ("frame=100000", "frame"),
        ("frame=1&anim=keep", "frame"),
        ("page=10000", "page"), ("page=", "page"), ("speed=0", "speed"), ("speed=0.099", "speed"),
        ("speed=10.1", "speed"), ("speed=nan", "speed"), ("loop=65536", "loop"), ("loop=-1", "loop"),
        ("reverse=yes", "reverse"), ("strict=2", "strict"), ("anim=keep&anim=keep", "anim"), ("dpi=0", "dpi"),
        ("dpi=1201", "dpi"), ("format=jpeg&lossless=1", "lossless"),
        ("meta=all", "meta"), ("download=2", "download"),
        ("filename=a%2Fb", "filename"), ("filename=..", "filename"), ("filename=a%5Cb", "filename"),
        ("exp=soon", "exp"), ("exp=-1", "exp"), ("sig=", "sig"), ("sig=a&sig=b", "sig"),
        ("preset=unheard", "preset"), ("preset=none&preset=none", "preset"), ("url=http://a/", "url"),
        // Grammar.
        ("W=3", "W"), ("width=3", "width"), ("w=3%", "w"), ("w=%3", "w"), ("w=%zz", "w"), ("w=3%00", "w"),
        ("w=%0a3", "w"),
        ("w=%ff", "w"), ("w=%c2%85", "w"), ("v=%ed%a0%80", "v"), ("v=%c0%af", "v"), ("%00=1", "%00"), ("=3", "query"),
    ])
    func `names the invalid parameter`(query: String, parameter: String) {
        let error = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: query, options: ParseOptions(forwardNames: ["v"]))
        }
        #expect(error?.parameter == parameter)
        #expect(error?.status == .malformed)
        #expect(error?.reason.isEmpty == false)
    }

    @Test(arguments: [
        ("=5", "query: has a parameter without a name"),
        ("round=101%25", "round: must be a percentage from 0% to 100%"),
        ("w=0%25", "w: must be a percentage from 0.000001% to 1000%"),
        ("crop=0,0,101%25,5", "crop: must be a percentage from 0.000001% to 100%"),
        ("w=100;h=50", "w: must be a whole number from 1 to 16384; use & between parameters, not ;"),
        ("v=1&w=100;h=50;q=7", "w: must be a whole number from 1 to 16384; use & between parameters, not ;"),
        ("v=1;w=2&w=5;x", "w: must be a whole number from 1 to 16384"),
        ("w=5;width=3", "w: must be a whole number from 1 to 16384"),
        ("w=1%3Bh=50", "w: must be a whole number from 1 to 16384"),
    ])
    func `says what is wrong in terms of the parameter`(query: String, description: String) {
        let error = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: query, options: ParseOptions(forwardNames: ["v"]))
        }
        #expect(error?.description == description)
    }

    @Test func `a semicolon is part of a valid value`() throws {
        let parsed = try RequestLanguage.parse(query: "v=1;w=2", options: ParseOptions(forwardNames: ["v"]))
        #expect(parsed.isBare && parsed.forwardedQuery == "v=1;w=2")
    }

    @Test func `limits the number of steps and of parameters`() throws {
        let most = Array(repeating: "flip=h", count: 32).joined(separator: "&")
        #expect(try RequestLanguage.parse(query: most, options: ParseOptions()).plan.steps.count == 32)
        let steps = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: most + "&flip=v", options: ParseOptions())
        }
        #expect(steps?.parameter == "flip")
        let pairs = Array(repeating: "v=1", count: 128).joined(separator: "&")
        let options = ParseOptions(forwardNames: ["v"])
        #expect(try RequestLanguage.parse(query: pairs, options: options).isBare)
        #expect(throws: RequestError.self) { try RequestLanguage.parse(query: pairs + "&v=1", options: options) }
    }

    @Test func `shortens a long name in its error`() {
        let name = String(repeating: "x", count: 5000)
        let error = #expect(throws: RequestError.self) {
            try RequestLanguage.parse(query: name + "=1", options: ParseOptions())
        }
        #expect(error?.parameter.count == 64)
    }

    @Test func `survives random bytes`() {
        var generator = SeededGenerator(seed: 1)
        let alphabet = Array("whfitcropblurgravity=&%,x0123456789.-+ \u{7f}é\0".utf8) + [0xFF, 0xC3]
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...40, using: &generator)
            let query = (0..<length).compactMap { _ in alphabet.randomElement(using: &generator) }
            _ = try? RequestLanguage.parse(query: query, options: ParseOptions(ignoreNames: ["x"]))
        }
    }
}
