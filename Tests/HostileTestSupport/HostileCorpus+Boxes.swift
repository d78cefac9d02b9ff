import TestSupport

extension HostileCorpus {
    private typealias Build = HeaderBuilder

    /// ISO base media files (ISO/IEC 14496-12) with the boxes of HEIF.
    static func boxes(_ seed: [UInt8], brand: String, _ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let start = Build.box("ftyp", Build.text(brand) + big(0, 4) + Build.text("mif1") + Build.text(brand))
        switch number % 9 {
        case 0:
            let size = extent(&random)
            return rewriting(seed, after: "ispe", at: 4, big(size.width, 4) + big(size.height, 4))
        case 1: return start + nested(Build.text("x"), depth: [10, 1000, 20_000][number / 9 % 3], number)
        case 2:
            // Box lengths of 0, 1 (a 64-bit length follows), less than a header, and beyond the file.
            let length = [big(0, 4), big(1, 4), big(7, 4), [0xFF, 0xFF, 0xFF, 0xFF]][number / 9 % 4]
            return start + length + Build.text("meta") + [UInt8](repeating: 0xFF, count: 200)
        case 3:
            return start + repeated(Build.box("free", []), [100, 10_000, 100_000][number / 9 % 3])
        case 4: return start + grid(number, &random)
        case 5: return rewriting(seed, after: "iloc", at: number / 9, noise(8, &random))
        case 6:
            return rewriting(
                seed,
                after: ["av1C", "hvcC", "pixi", "colr", "irot", "ipma", "pitm"][number / 9 % 7],
                at: 0,
                noise(4, &random)
            )
        case 7:
            let entries = Build.box("iinf", big(0, 4) + [0xFF, 0xFF] + [UInt8](repeating: 0, count: 3000))
            let places = Build.box(
                "iloc",
                big(0, 4) + [0x44, 0x00, 0xFF, 0xFF] + [UInt8](repeating: 0xFF, count: 3000)
            )
            return start + Build.box("meta", big(0, 4) + entries + places)
        default: return damaged(seed, number / 9, &random)
        }
    }

    /// Boxes within boxes; a reader that trusts the lengths reads each level again.
    private static func nested(_ content: [UInt8], depth: Int, _ number: Int) -> [UInt8] {
        let type = Build.text(["meta", "moov", "iprp", "dinf"][number % 4])
        var file: [UInt8] = []
        let extra = type == Build.text("meta") ? 4 : 0
        for level in 0..<depth {
            file += big((depth - level) * (8 + extra) + content.count, 4) + type + [UInt8](repeating: 0, count: extra)
        }
        return file + content
    }

    /// A grid (ISO/IEC 23008-12 §6.6.2.3) of up to 65,536 tiles that are all the same item, or the grid itself.
    private static func grid(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let side = [1, 15, 255][number / 9 % 3]
        let own = number % 2 == 0
        let size = big(side * 64, 4) + big(side * 64, 4)
        let tiles = (side + 1) * (side + 1)
        let references =
            big(1, 2) + big(min(tiles, 65_535), 2) + repeated(big(own ? 1 : 2, 2), min(tiles, 65_535))
        func entry(_ item: Int, _ type: String) -> [UInt8] {
            Build.box("infe", [2, 0, 0, 0] + big(item, 2) + big(0, 2) + Build.text(type) + [0])
        }
        let content = [0, 1, UInt8(side), UInt8(side)] + size
        let items = Build.box(
            "iinf",
            big(0, 4) + big(2, 2) + entry(1, "grid") + entry(2, number % 4 == 0 ? "grid" : "av01")
        )
        let places = Build.box(
            "iloc",
            [1, 0, 0, 0, 0x44, 0, 0, 1] + big(1, 2) + big(1, 2) + big(0, 2) + big(1, 2) + big(0, 4) + big(12, 4)
        )
        let properties =
            Build.box("ipco", Build.box("ispe", big(0, 4) + size))
            + Build.box("ipma", big(0, 4) + big(1, 4) + big(1, 2) + [1, 1])
        let meta =
            Build.box("hdlr", big(0, 8) + Build.text("pict") + big(0, 4)) + Build.box("pitm", big(0, 4) + big(1, 2))
            + items + places
        return Build.box(
            "meta",
            big(0, 4) + meta + Build.box("iprp", properties) + Build.box("idat", content)
                + Build.box("iref", big(0, 4) + Build.box("dimg", references))
        ) + Build.box("mdat", noise(100, &random))
    }

    /// JPEG XL codestreams and containers.
    func jxl(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let signature = Self.big(12, 4) + [0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
        let start = signature + Build.box("ftyp", Build.text("jxl ") + Self.big(0, 4) + Build.text("jxl "))
        switch number % 5 {
        case 0: return Build.jxl(width: 1 + number * 130, height: 8192 - number) + Self.noise(200, &random)
        case 1:
            // Parts in the wrong order, repeated, or empty.
            var parts: [UInt8] = []
            let size = max(1, seeds.jxl.count / 20)
            for index in 0..<[3, 200, 5000][number / 5 % 3] {
                let piece = index < 20 ? Array(seeds.jxl.dropFirst(index * size).prefix(size)) : []
                let order = number % 2 == 0 ? index : Int.random(in: 0...50, using: &random)
                parts += Build.box("jxlp", Self.big(order, 4) + piece)
            }
            return start + parts
        case 2:
            return start + Build.box("brob", Build.text("Exif") + Self.noise(100, &random))
                + Build.box("jxlc", seeds.jxl)
        default: return Self.damaged(seeds.jxl, number, &random)
        }
    }

    /// JPEG 2000 files (ISO/IEC 15444-1).
    func jp2(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let size = Self.extent(&random)
        switch number % 5 {
        case 0:
            return Self.rewriting(seeds.jp2, after: "ihdr", at: 0, Self.big(size.height, 4) + Self.big(size.width, 4))
        case 1, 2:
            // The size marker, which states image and tiles.
            guard
                let marker = seeds.jp2.indices.dropLast(40).first(where: {
                    seeds.jp2[$0] == 0xFF && seeds.jp2[$0 + 1] == 0x51
                })
            else {
                return seeds.jp2
            }
            var file = seeds.jp2
            let fields = number % 5 == 1 ? marker + 6 : marker + 22
            file.replaceSubrange(
                fields..<fields + 8,
                with: number % 3 == 0
                    ? Self.big(1, 4) + Self.big(1, 4) : Self.big(size.width, 4) + Self.big(size.height, 4)
            )
            return file
        default: return Self.damaged(seeds.jp2, number, &random)
        }
    }
}
