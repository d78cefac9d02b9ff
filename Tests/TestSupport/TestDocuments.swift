/// Small documents, written by hand.
package enum TestDocuments {
    /// A PDF with one page of 200 × 100 points per content stream (ISO 32000-1 §7.5).
    package static func pdf(_ contents: [String]) -> [UInt8] {
        var objects = ["<</Type/Catalog/Pages 2 0 R>>"]
        let kids = contents.indices.map { "\(3 + 2 * $0) 0 R" }.joined(separator: " ")
        objects.append("<</Type/Pages/Kids[\(kids)]/Count \(contents.count)>>")
        for (index, content) in contents.enumerated() {
            objects.append("<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents \(4 + 2 * index) 0 R>>")
            objects.append("<</Length \(content.utf8.count)>>stream\n\(content)\nendstream")
        }
        var text = "%PDF-1.4\n"
        var table = "0000000000 65535 f \n"
        for (index, object) in objects.enumerated() {
            let offset = String(text.utf8.count)
            table += String(repeating: "0", count: 10 - offset.count) + offset + " 00000 n \n"
            text += "\(index + 1) 0 obj\(object)\nendobj\n"
        }
        let start = text.utf8.count
        text += "xref\n0 \(objects.count + 1)\n\(table)trailer<</Size \(objects.count + 1)/Root 1 0 R>>\n"
        return Array((text + "startxref\n\(start)\n%%EOF\n").utf8)
    }
}
