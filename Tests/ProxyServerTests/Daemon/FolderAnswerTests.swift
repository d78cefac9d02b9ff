import Foundation
import TestSupport
import Testing

/// Responses of a `file:` source must reveal nothing about other files in its folder.
@Suite(.timeLimit(.minutes(1)))
struct FolderAnswerTests {
    private let picture = TestImages.gradient(width: 64, height: 48)

    @Test func `a file that is not an image looks missing`() throws {
        let files = try TemporaryFolder()
        for (name, bytes) in [
            "passwd": Array("root:x:0:0\n".utf8), "a.pdf": TestDocuments.pdf(["1 0 0 rg 0 0 100 100 re f"]),
            "large.txt": [UInt8](repeating: 97, count: 70_000), "a.png": picture,
            "large.png": picture + [UInt8](repeating: 0, count: 70_000),
        ] {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(files.path)/\(name)"))
        }
        let rig = try EndToEndRig(
            "limits: { source-bytes: 65536B }\n",
            sources: "\n  local: { url: \"file://\(files.path)/\" }",
            script: ScriptedOrigin.pictures(["a.png": picture])
        )
        func answer(_ target: String) throws -> String {
            let answer = try rig.get(target)
            let body = answer.text.split(separator: ",").filter { !$0.contains("\"id\"") }.joined(separator: ",")
            let lifetime = answer["Cache-Control"]?.split(separator: "=").first ?? ""
            return "\(answer.status) \(lifetime) \(answer["Content-Type"] ?? "") \(body)"
        }
        #expect(try rig.get("/local/a.png?w=20").status == 200)
        for query in ["", "?w=20"] {
            let missing = try answer("/local/none\(query)")
            #expect(missing.hasPrefix("404"))
            let remembered = try answer("/local/none\(query)")
            for name in ["passwd", "a.pdf", "large.txt"] {
                #expect(try answer("/local/\(name)\(query)") == missing, "\(name)\(query)")
                #expect(try answer("/local/\(name)\(query)") == remembered, "\(name)\(query)")
            }
        }
        // Also as a watermark.
        let marked = try rig.get("/photos/a.png?watermark=local/passwd")
        #expect(marked.status == 404)
        #expect(try rig.get("/local/large.png?w=20").status == 413)
    }
}
