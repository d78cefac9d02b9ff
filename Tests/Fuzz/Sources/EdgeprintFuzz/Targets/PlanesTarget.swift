import ImagePlan

/// The worker's decoder of mezzanines, which come from another worker or from the shared store.
enum PlanesTarget: FuzzTarget {
    static let name = "planes"

    static var seeds: [[UInt8]] {
        let files: [(Int, Int, PlanesFile.Layout)] = [
            (20, 17, .colour), (9, 8, .alpha), (1, 1, .colour), (40, 3, .alpha),
        ]
        return files.map { width, height, layout in
            let profile = [UInt8](repeating: 7, count: width == 9 ? 5 : 0)
            let header = PlanesFile(
                size: PixelSize(width: width, height: height),
                layout: layout,
                profileLength: profile.count
            )
            return encode(header, profile) { strips in
                for component in strips.indices {
                    for index in strips[component].stride..<strips[component].samples.count {
                        let sample = index * (component + 3) * (index % 7 == 0 ? 29 : 1)
                        strips[component].samples[index] = UInt8(truncatingIfNeeded: sample)
                    }
                }
            }
        }
    }

    static let dictionary = ["EPP1"]

    /// `limits.pixels` of a worker, smaller.
    private static let mostPixels = 4_000_000

    static func run(_ bytes: [UInt8]) {
        guard let header = PlanesFile(bytes.span), header.size.pixels <= mostPixels else { return }
        expectEqual(header.header, Array(bytes[..<PlanesFile.headerSize]), "the header")
        let decoded = decode(bytes, header)
        expectEqual(decode(bytes, header), decoded, "decoded twice")
        guard let decoded else { return }
        // Blocks may have had more bits than they need.
        var strips = strips(of: header)
        var place = header.start
        let again = encode(header, header.profile(in: bytes.span) ?? []) { target in
            for component in strips.indices {
                expect(strips[component].decode(bytes.span, &place), "a strip of a complete file")
                let stride = strips[component].stride
                target[component].samples[stride...] = strips[component].samples[stride...]
            }
        }
        expectEqual(decode(again, header), decoded, "encoded again")
        expect(again.count <= bytes.count, "\(again.count) bytes instead of \(bytes.count)")
    }

    private static func strips(of header: PlanesFile) -> [PlaneStrip] {
        (0..<header.layout.components).map { component in
            PlaneStrip(blocks: header.layout.blocks(component, width: header.size.width))
        }
    }

    /// Encodes strips that `fill` fills.
    private static func encode(_ header: PlanesFile, _ profile: [UInt8], fill: (inout [PlaneStrip]) -> Void) -> [UInt8]
    {
        var strips = strips(of: header)
        var (file, scratch) = (header.header + profile, [UInt8]())
        for _ in 0..<header.strips {
            fill(&strips)
            for component in strips.indices { strips[component].encode(to: &file, &scratch) }
        }
        return file
    }

    /// Decodes all pixels; `nil` for a damaged file.
    private static func decode(_ bytes: [UInt8], _ header: PlanesFile) -> [UInt8]? {
        guard let decoder = PlanesDecoder(bytes.span) else { fatalError("a header is read once only") }
        var (rows, pixels): (Int, [UInt8]) = (0, [])
        let isComplete = decoder.decode(bytes.span) { row in
            expectEqual(row.count, header.size.width * header.layout.bands, "the length of row \(rows)")
            rows += 1
            for index in row.indices { pixels.append(row[index]) }
        }
        expect(isComplete ? rows == header.size.height : rows <= header.size.height, "\(rows) rows of \(header.size)")
        return isComplete ? pixels : nil
    }
}
