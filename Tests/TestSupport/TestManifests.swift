/// Files with a C2PA manifest store, made as C2PA 2.1, appendix A describes; the store itself is empty.
package enum TestManifests {
    /// A JUMBF superbox (ISO 19566-5 §5) with the description of a manifest store and no manifest.
    package static let store: [UInt8] = {
        let uuid: [UInt8] = [
            0x63, 0x32, 0x70, 0x61, 0, 0x11, 0, 0x10, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71,
        ]
        let description = box("jumd", uuid + [3] + Array("c2pa\0".utf8))
        return box("jumb", description)
    }()

    private static func word(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        word(content.count + 8) + Array(type.utf8) + content
    }

    /// Adds an APP11 segment after the first marker of a JPEG.
    package static func jpeg(_ file: [UInt8], _ store: [UInt8] = store) -> [UInt8] {
        let content = Array("JP".utf8) + [0, 1] + word(1) + store
        return Array(file[..<2]) + [0xFF, 0xEB, 0, UInt8(content.count + 2)] + content + file[2...]
    }

    /// Adds a chunk after the header of a PNG; its checksum is wrong, which decoders overlook in ancillary chunks.
    package static func png(_ file: [UInt8]) -> [UInt8] {
        Array(file[..<33]) + word(store.count) + Array("caBX".utf8) + store + [0, 0, 0, 0] + file[33...]
    }

    /// Adds a chunk at the end of a WebP.
    package static func webp(_ file: [UInt8]) -> [UInt8] {
        var made = file + Array("C2PA".utf8) + word(store.count).reversed() + store
        if store.count % 2 == 1 { made.append(0) }
        made.replaceSubrange(4..<8, with: word(made.count - 8).reversed())
        return made
    }

    /// Adds an application extension after the colour table of a GIF.
    package static func gif(_ file: [UInt8]) -> [UInt8] {
        let start = 13 + (file[10] & 0x80 == 0 ? 0 : 3 << (Int(file[10] & 7) + 1))
        let block = [0x21, 0xFF, 0x0B] + Array("C2PA_GIF".utf8) + [1, 0, 0, UInt8(store.count)] + store + [0]
        return Array(file[..<start]) + block + file[start...]
    }

    /// Adds a `uuid` box at the end of an AVIF or HEIC.
    package static func heif(_ file: [UInt8]) -> [UInt8] {
        let type: [UInt8] = [
            0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
        ]
        return file + box("uuid", type + word(0) + Array("manifest\0".utf8) + word(0) + word(0) + store)
    }
}
