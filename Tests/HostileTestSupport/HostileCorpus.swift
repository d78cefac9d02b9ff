import TestSupport

/// Generates files that are designed to harm decoders: the same ones in every run.
///
/// Bombs are built byte by byte. Damaged files are made from valid ones, which the real encoders write.
package struct HostileCorpus: Sendable {
    /// Valid images to damage.
    package struct Seeds: Sendable {
        package var jpeg: [UInt8]
        package var png: [UInt8]
        package var gif: [UInt8]
        package var webp: [UInt8]
        package var avif: [UInt8]
        package var heic: [UInt8]
        package var jxl: [UInt8]
        package var jp2: [UInt8]
        package var tiff: [UInt8]

        /// Creates seeds.
        package init(
            jpeg: [UInt8],
            png: [UInt8],
            gif: [UInt8],
            webp: [UInt8],
            avif: [UInt8],
            heic: [UInt8],
            jxl: [UInt8],
            jp2: [UInt8],
            tiff: [UInt8]
        ) {
            (self.jpeg, self.png, self.gif, self.webp) = (jpeg, png, gif, webp)
            (self.avif, self.heic, self.jxl, self.jp2, self.tiff) = (avif, heic, jxl, jp2, tiff)
        }
    }

    let seeds: Seeds

    /// Creates a generator.
    package init(_ seeds: Seeds) { self.seeds = seeds }

    /// The name of a file, from which `file(named:)` generates it.
    package static func name(_ kind: HostileKind, _ number: Int) -> String {
        "\(kind.rawValue).\(number).\(kind.suffix)"
    }

    /// The file with a name; `nil` if `name(_:_:)` does not return such a name.
    package func file(named name: String) -> [UInt8]? {
        let parts = name.split(separator: ".")
        guard parts.count == 3, let kind = HostileKind(rawValue: String(parts[0])), let number = Int(parts[1]) else {
            return nil
        }
        return file(kind, number)
    }

    /// The n-th file of a kind; any number is valid.
    package func file(_ kind: HostileKind, _ number: Int) -> [UInt8] {
        let index = HostileKind.allCases.firstIndex(of: kind) ?? 0
        var random = SeededGenerator(seed: UInt64(index) << 32 | UInt64(number))
        switch kind {
        case .pngPixels: return Self.pngPixels(number, &random)
        case .pngText: return pngText(number, &random)
        case .pngFrames: return Self.pngFrames(number, &random)
        case .pngDamage: return Self.damaged(seeds.png, number, &random)
        case .jpegStructure: return jpegStructure(number, &random)
        case .jpegDamage: return Self.damaged(seeds.jpeg, number, &random)
        case .gifFrames: return Self.gifFrames(number, &random)
        case .gifDamage: return Self.damaged(seeds.gif, number, &random)
        case .webpFrames: return webpFrames(number, &random)
        case .webpDamage: return Self.damaged(seeds.webp, number, &random)
        case .avifBoxes: return Self.boxes(seeds.avif, brand: "avif", number, &random)
        case .avifDamage: return Self.damaged(seeds.avif, number, &random)
        case .heicBoxes: return Self.boxes(seeds.heic, brand: "heic", number, &random)
        case .jxlDamage: return jxl(number, &random)
        case .jp2Damage: return jp2(number, &random)
        case .tiffDirectories: return Self.tiffDirectories(number, &random)
        case .tiffDamage: return Self.damaged(seeds.tiff, number, &random)
        case .bmp: return Self.bmp(number, &random)
        case .ico: return ico(number, &random)
        case .svgNesting, .svgUses, .svgFilters, .svgReferences: return Array(Self.svg(kind, number, &random).utf8)
        case .svgMarkup: return svgMarkup(number, &random)
        case .svgz: return Self.svgz(number, &random)
        case .pdf: return Self.pdf(number, &random)
        case .metadata: return metadata(number, &random)
        case .mixed: return mixed(number, &random)
        }
    }
}
