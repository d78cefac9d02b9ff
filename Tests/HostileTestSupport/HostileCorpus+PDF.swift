import TestSupport

extension HostileCorpus {
    /// PDF documents (ISO 32000-1), mostly without a valid cross-reference table, which readers rebuild.
    static func pdf(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        switch number % 8 {
        case 0:
            return file([
                "<</Type/Catalog/Pages 2 0 R>>",
                "<</Type/Pages/Kids[2 0 R 2 0 R]/Count \([1, 0x7FFF_FFFF, -1][number / 8 % 3])>>",
            ])
        case 1:
            let boxes = [
                "[0 0 1e9 1e9]", "[0 0 0 0]", "[0 0 -5 9]", "[0 0 99999 99999]", "[1 2]", "[0 0 1e-9 1]",
                "[0 0 14400 14400]",
            ]
            return page("0 0 9 9 re f", box: boxes[number / 8 % boxes.count])
        case 2:
            // A stream that expands.
            let data = Zlib.bomb(0x20, count: [1, 8, 60][number / 8 % 3] << 20)
            let stream =
                Array("<</Length \(data.count)/Filter/FlateDecode>>stream\n".utf8) + data + Array("\nendstream".utf8)
            return Array(
                "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>endobj 4 0 obj"
                    .utf8
            )
                + stream + Array("endobj trailer<</Root 1 0 R>>".utf8)
        case 3:
            let operators = [
                "q ", "/F 9 Tf ", "0 0 9 9 re W n ", "9 9 m 1 2 3 4 5 6 c S ", "/X Do ",
                "[0.0001] 0 d 0 0 m 1e9 1e9 l S ",
            ]
            let count = [1000, 50_000][number / 8 % 2]
            return page(String(repeating: operators[number / 16 % operators.count], count: count))
        case 4:
            // A form that draws itself.
            return file([
                "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>",
                "<</Length 18>>stream\n/X Do /X Do /X Do\nendstream",
                "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 18/Resources<</XObject<</X 5 0 R>>>>>>stream\n/X Do /X Do /X Do\nendstream",
            ])
        case 5:
            let references = (0..<3000).map { "\($0 + 3) 0 R" }.joined(separator: " ")
            return file(
                ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[\(references)]/Count 100000>>"]
                    + (0..<3000).map { "\($0 + 4) 0 R" }
            )
        case 6:
            return Array("%PDF-1.7\n".utf8)
                + Array(String(repeating: ["[", "<<", "(", "1 0 obj"][number / 8 % 4], count: 60_000).utf8)
        default: return damaged(TestDocuments.pdf(["0 0 10 10 re f", "1 0 0 rg 0 0 50 50 re f"]), number / 8, &random)
        }
    }

    private static func page(_ content: String, box: String = "[0 0 99 99]") -> [UInt8] {
        file([
            "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox\(box)/Contents 4 0 R>>",
            "<</Length \(content.utf8.count)>>stream\n\(content)\nendstream",
        ])
    }

    private static func file(_ objects: [String]) -> [UInt8] {
        let bodies = objects.enumerated().map { "\($0.offset + 1) 0 obj\($0.element)\nendobj\n" }.joined()
        return Array(
            "%PDF-1.4\n\(bodies)trailer<</Size \(objects.count + 1)/Root 1 0 R/Prev 0>>\nstartxref\n0\n%%EOF\n".utf8
        )
    }
}
