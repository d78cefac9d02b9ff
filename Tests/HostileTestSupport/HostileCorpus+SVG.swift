import TestSupport

extension HostileCorpus {
    static func document(_ content: String, size: String = "width=\"100\" height=\"100\"", attributes: String = "")
        -> String
    {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \(size) \(attributes)>\(content)</svg>"
    }

    /// Drawings that multiply, nest or filter without end.
    static func svg(_ kind: HostileKind, _ number: Int, _ random: inout SeededGenerator) -> String {
        switch kind {
        case .svgNesting: nesting(number, &random)
        case .svgUses: uses(number)
        case .svgFilters: filters(number)
        default: references(number)
        }
    }

    private static func nesting(_ number: Int, _ random: inout SeededGenerator) -> String {
        let count = [100, 1000, 20_000, 200_000][number / 8 % 4]
        let rectangle = "<rect width=\"9\" height=\"9\"/>"
        switch number % 8 {
        case 0:
            let name = ["g", "svg", "a", "text", "defs", "switch"][number / 8 % 6]
            let end = number % 3 == 0 ? "" : String(repeating: "</\(name)>", count: count)
            return document(String(repeating: "<\(name)>", count: count) + rectangle + end)
        case 1:
            return document(
                "<path d=\"M0 0" + String(repeating: "l9 9a1 2 3 0 1 4 5c1 2 3 4 5 6", count: count) + "\"/>"
            )
        case 2:
            let dashes = ["0.00001", "1e-30", "0.001 0.001 0", "1 1"][number / 8 % 4]
            return document(
                "<path d=\"M0 0h1e9v1e9\" stroke=\"red\" stroke-width=\"1e9\" stroke-dasharray=\"\(dashes)\"/>"
            )
        case 3: return document((0..<min(count, 20_000)).map { "<rect x=\"\($0)\" a\($0)=\"\($0)\"/>" }.joined())
        case 4: return document("<rect " + (0..<min(count, 20_000)).map { "a\($0)='1' " }.joined() + "/>")
        case 5:
            let sides = ["1e9", "0", "-5", "1e400", "NaN", "100%", "99999999999999999999", "1e-9"]
            let side = sides[number / 8 % sides.count]
            return document(
                rectangle,
                size: "width=\"\(side)\" height=\"\(side)\"",
                attributes: "viewBox=\"0 0 1e-9 1e9\""
            )
        case 6:
            return document(
                "<text font-size=\"\(count)\">" + String(repeating: "W\u{0301}\u{202E}", count: count) + "</text>"
            )
        default:
            let values = (0..<min(count, 20_000)).map { _ in String(Int.random(in: -9999...9999, using: &random)) }
            return document(
                "<polygon points=\"" + values.joined(separator: ",") + "\" stroke=\"#000\" stroke-linejoin=\"round\"/>"
            )
        }
    }

    /// Each group draws the previous one several times.
    private static func uses(_ number: Int) -> String {
        let depth = [2, 3, 4, 5, 10, 200][number % 6]
        let fan = [2, 3, 10][number / 6 % 3]
        let tag = ["g", "symbol", "svg", "a"][number / 18 % 4]
        if number % 5 == 4 {
            // Loops: an element that draws itself, or the next of a circle.
            let circle = (0..<depth).map {
                "<\(tag) id=\"u\($0)\"><use href=\"#u\(($0 + 1) % depth)\" xlink:href=\"#u\(($0 + 1) % depth)\"/></\(tag)>"
            }
            return document(circle.joined() + "<use xlink:href=\"#u0\"/>")
        }
        var content = "<defs><\(tag) id=\"u0\"><path d=\"M0 0h9v9z\"/></\(tag)>"
        for level in 1...depth {
            content +=
                "<\(tag) id=\"u\(level)\">" + String(repeating: "<use xlink:href=\"#u\(level - 1)\"/>", count: fan)
                + "</\(tag)>"
        }
        return document(content + "</defs><use xlink:href=\"#u\(depth)\"/>")
    }

    private static func filters(_ number: Int) -> String {
        let large = ["9", "300", "1e5", "1e9", "1e30", "-1"][number / 8 % 6]
        let primitives = [
            "<feGaussianBlur stdDeviation=\"\(large)\"/>",
            "<feTurbulence numOctaves=\"\(large)\" baseFrequency=\"0.9\"/>",
            "<feMorphology operator=\"dilate\" radius=\"\(large)\"/>",
            "<feConvolveMatrix order=\"40\" kernelMatrix=\"\(String(repeating: "1 ", count: 1600))\"/>",
            "<feOffset dx=\"\(large)\" dy=\"\(large)\"/><feTile/>",
            "<feImage xlink:href=\"#all\"/><feDisplacementMap in2=\"SourceGraphic\" scale=\"\(large)\"/>",
            "<feDiffuseLighting surfaceScale=\"\(large)\"><fePointLight z=\"\(large)\"/></feDiffuseLighting>",
            "<feComponentTransfer><feFuncA type=\"table\" tableValues=\"\(String(repeating: "0 1 ", count: 9000))\"/></feComponentTransfer>",
        ]
        // One in six draws a large picture with a hundred filters.
        let isHeavy = number % 6 == 5
        let chain = String(repeating: primitives[number % 8], count: isHeavy ? 100 : 1 + number % 3)
        let region = number % 4 == 0 ? "x=\"-1e6\" y=\"-1e6\" width=\"1e7\" height=\"1e7\"" : "width=\"1\" height=\"1\""
        let side = isHeavy ? 2000 : 60
        let groups = number % 7 == 0 ? 8 : 1
        return document(
            "<filter id=\"f\" \(region)>\(chain)</filter>" + String(repeating: "<g filter=\"url(#f)\">", count: groups)
                + "<rect id=\"all\" width=\"90%\" height=\"90%\" fill=\"red\"/>"
                + String(repeating: "</g>", count: groups),
            size: "width=\"\(side)\" height=\"\(side)\""
        )
    }

    private static func references(_ number: Int) -> String {
        let depth = [1, 2, 5, 12, 30][number / 6 % 5]
        func chain(_ tag: String, _ attribute: String, _ own: String, fan: Int = 3) -> String {
            var content = ""
            for level in 0...depth {
                // The first one refers to the last, or to nothing.
                let target = level == 0 ? (number % 2 == 0 ? depth : -1) : level - 1
                let inner = String(
                    repeating: "<rect width=\"9\" height=\"9\" \(attribute)=\"url(#r\(target))\"/>",
                    count: fan
                )
                content += "<\(tag) id=\"r\(level)\" \(own) xlink:href=\"#r\(target)\">\(inner)</\(tag)>"
            }
            return content + "<rect width=\"90\" height=\"90\" \(attribute)=\"url(#r\(depth))\"/>"
        }
        switch number % 6 {
        case 0:
            return document(chain("pattern", "fill", "width=\"0.1\" height=\"0.1\" patternUnits=\"userSpaceOnUse\""))
        case 1: return document(chain("mask", "mask", "width=\"1\" height=\"1\""))
        case 2: return document(chain("clipPath", "clip-path", ""))
        case 3:
            let markers = chain("marker", "marker-mid", "markerWidth=\"1e4\" markerHeight=\"1e4\"", fan: 1)
            return document(
                markers + "<path marker-mid=\"url(#r\(depth))\" d=\"M0 0" + String(repeating: "L9 9", count: 3000)
                    + "\"/>"
            )
        case 4:
            let stops = (0..<[3, 5000][number / 6 % 2]).map { "<stop offset=\"\($0)%\" stop-color=\"#0\($0 % 10)f\"/>" }
                .joined()
            return document(
                "<linearGradient id=\"r\" xlink:href=\"#r\" gradientTransform=\"scale(1e-9)\">\(stops)</linearGradient><rect fill=\"url(#r)\" width=\"99\" height=\"99\"/>"
            )
        default: return document(chain("g", ["mask", "filter", "fill", "clip-path"][number / 6 % 4], "", fan: 2))
        }
    }
}
