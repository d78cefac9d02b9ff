import TestSupport

extension HostileCorpus {
    /// The chunks of a WebP that contain an image; `nil` if the seed has none.
    private var webpImage: [UInt8] {
        let file = seeds.webp
        var position = 12
        while position + 8 <= file.count {
            let length = file[position + 4..<position + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            let end = min(file.count, position + 8 + length + length % 2)
            if file[position..<position + 3].elementsEqual(Array("VP8".utf8)), file[position + 3] != 0x58 {
                return Array(file[position..<end])
            }
            position = end
        }
        return []
    }

    /// Animations and extended headers.
    func webpFrames(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let image = webpImage
        let canvas = [(64, 48), (16_384, 16_384), (16_777_216, 1), (4000, 4000), (7000, 7000)][number % 5]
        let flags: UInt8 = [0x02, 0x12, 0x3E, 0x00, 0xFF][number / 5 % 5]
        let count =
            image.count * 20_000 > 4 << 20 ? [1, 50, 300, 1000][number % 4] : [1, 300, 3000, 20_000][number % 4]
        var chunks: [(type: String, content: [UInt8])] = [
            HeaderBuilder.webpExtended(flags: flags, width: canvas.0, height: canvas.1), ("ANIM", [0, 0, 0, 0, 0, 0]),
        ]
        for index in 0..<count {
            let left = number % 6 == 1 ? 8_000_000 : number % 6 == 2 ? index * 2 : 0
            let side = number % 6 == 3 ? 16_777_215 : 63
            let place = Self.little(left, 3) + Self.little(0, 3) + Self.little(side, 3) + Self.little(47, 3)
            let body = number % 7 == 1 ? Self.noise(30, &random) : number % 7 == 2 ? [] : image
            let alpha = number % 7 == 3 ? Array("ALPH".utf8) + Self.little(20, 4) + Self.noise(20, &random) : []
            chunks.append(("ANMF", place + Self.little(number % 2, 3) + [UInt8(index % 4)] + alpha + body))
        }
        if number % 8 == 0 { chunks += [("ICCP", Self.noise(400, &random)), ("EXIF", Self.noise(100, &random))] }
        var file = HeaderBuilder.riff(chunks)
        if number % 9 == 0 { file.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
        if number % 10 == 1 { file += file }
        return file
    }
}
