import Testing

@testable import ImagePlan

/// The queries that an invalid query may have meant.
@Suite(.timeLimit(.minutes(1)))
struct QueryCorrectionTests {
    private static func options() throws -> ParseOptions {
        let thumb = try Preset(name: "thumb", text: "w=4")
        return ParseOptions(forwardNames: ["version"], presets: ["thumb": thumb])
    }

    private static func corrections(_ query: String) throws -> [String] {
        let options = try options()
        do {
            _ = try RequestLanguage.parse(query: query, options: options)
            return []
        } catch {
            return RequestLanguage.corrections(of: Array(query.utf8), parameter: error.parameter, options: options)
        }
    }

    @Test(arguments: [
        ("widht=300", "w=300"), ("w=3&quality=80&h=4", "w=3&q=80&h=4"), ("verison=2", "version=2"),
        ("w=20000", "w=16384"), ("w=0", "w=1"), ("w=100px", "w=100"), ("w=3.6", "w=4"), ("blur=0.1", "blur=0.3"),
        ("blur=999", "blur=250"), ("w=3&h=3&fit=aspectfill", "w=3&h=3&fit=cover"), ("format=jpe", "format=jpeg"),
        ("w=9&enlarge=true", "w=9&enlarge=1"), ("preset=thum", "preset=thumb"), ("grayscale=1", "filter=grayscale"),
        ("filter=sepja", "filter=sepia"), ("w=9&h=9&gravity=top&fit=cover", "w=9&h=9&gravity=north&fit=cover"),
        ("border=99999,ff8800", "border=16384,ff8800"), ("tint=red", "tint=ff0000"), ("q=101", "q=100"),
        ("w=5&w=6", "w=5"), ("fit=cover", ""), ("flip=horizontal", "flip=h"), ("round=200%25", "round=100%25"),
    ])
    func `begin with the nearest valid one`(query: String, expected: String) throws {
        let options = try Self.options()
        let valid = try Self.corrections(query).first { correction in
            (try? RequestLanguage.parse(query: correction, options: options)) != nil
        }
        #expect(valid == expected)
    }

    @Test func `change nothing else of the query`() throws {
        #expect(try Self.corrections("version=a%20b&&w=x1&q=7") == ["version=a%20b&q=7"])
        #expect(try Self.corrections("w=%zz").allSatisfy { $0.isEmpty })
    }

    @Test func `are bounded, and none for a parameter that the query does not have`() throws {
        let options = try Self.options()
        #expect(RequestLanguage.corrections(of: Array("w=1".utf8), parameter: "h", options: options).isEmpty)
        let long = Array(repeating: "w=0", count: 128).joined(separator: "&")
        #expect(try Self.corrections(long).count == 5)
        let unknown = Array(repeating: "zzzzzzzz=0", count: 128).joined(separator: "&")
        #expect(try Self.corrections(unknown).count == 2)
        let more = Array(repeating: "w=0", count: 129).joined(separator: "&")
        #expect(RequestLanguage.corrections(of: Array(more.utf8), parameter: "w", options: options).isEmpty)
    }
}
