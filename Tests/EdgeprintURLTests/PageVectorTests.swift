import EdgeprintURL
import Testing

/// The vectors of `srcset` and of markup.
@Suite(.timeLimit(.minutes(1)))
struct PageVectorTests {
    private struct Pages: Decodable {
        var cases: [Vectors.Case]
        var refusals: [Vectors.Case]
        var pictures: [Picture]
    }

    private struct Picture: Decodable {
        var name: String
        var source: String
        var path: String
        var base: String?
        var signed: Bool?
        var exp: Int64?
        var sources: [Element]
        var img: Element
        var html: String
    }

    private struct Element: Decodable {
        var parameters: [[String]]
        var widths: [Int]?
        var densities: [String]?
        var sizes: String?
        var media: String?
        var type: String?
        var width: String?
        var height: String?
        var attributes: [[String]]?

        var transform: ImageTransform { Vectors.Case.transform(parameters) }

        var candidates: PictureElement.Candidates {
            if let widths { return .widths(widths, sizes: sizes ?? "") }
            return densities.map { .densities($0.compactMap(Double.init)) } ?? .single
        }
    }

    @Test func `sets of sources are those of the vectors`() throws {
        let vectors = try Vectors.read("srcset", as: Pages.self).cases
        #expect(vectors.count >= 10)
        for vector in vectors {
            let isSigned = if case .flag(true) = vector.signed { true } else { false }
            let server = try vector.server(isSigned: isSigned)
            let scope = try vector.parsedScope()
            let set =
                if let widths = vector.widths {
                    try server.sourceSet(
                        for: vector.location,
                        vector.transform,
                        widths: widths,
                        expires: vector.exp,
                        scope: scope
                    )
                } else {
                    try server.sourceSet(
                        for: vector.location,
                        vector.transform,
                        densities: (vector.densities ?? []).compactMap(Double.init),
                        expires: vector.exp,
                        scope: scope
                    )
                }
            #expect(set == vector.srcset, "\(vector.name)")
        }
    }

    @Test func `sets of widths that no client makes are refused`() throws {
        let vectors = try Vectors.read("srcset", as: Pages.self).refusals
        #expect(vectors.count >= 2)
        for vector in vectors {
            let server = try vector.server(isSigned: false)
            let error = #expect(throws: ImageURLError.self, "\(vector.name)") {
                try server.sourceSet(for: vector.location, vector.transform, widths: vector.widths ?? [])
            }
            #expect(error?.parameter == vector.parameter)
        }
    }

    @Test func `markup is that of the vectors`() throws {
        let vectors = try Vectors.read("srcset", as: Pages.self).pictures
        #expect(vectors.count >= 5)
        for vector in vectors {
            let key = try Vectors.key()
            let server = try ImageServer(vector.base ?? "", authenticator: vector.signed == true ? key : nil)
            let attributes = vector.img.attributes ?? []
            #expect(attributes.last?.first == "alt")
            var picture = PictureElement(
                .path("\(vector.source)/\(vector.path)"),
                alternative: attributes.last?.last ?? ""
            )
            picture.attributes = attributes.dropLast().map { .init($0[0], $0[1]) }
            picture.transform = vector.img.transform
            picture.candidates = vector.img.candidates
            picture.expires = vector.exp
            picture.sources = vector.sources.map { source in
                var result = PictureElement.Source(source.transform, source.candidates)
                result.media = source.media
                result.width = source.width.flatMap { Int($0) }
                result.height = source.height.flatMap { Int($0) }
                return result
            }
            #expect(try picture.html(on: server) == vector.html, "\(vector.name)")
        }
    }

    @Test func `formats are offered with the steps and sizes of the image`() throws {
        var picture = PictureElement(.path("photos/cat.jpg"), alternative: "")
        picture.transform = ImageTransform().resize(width: 400, height: 300, fit: .cover)
        picture.candidates = .densities([1, 2])
        picture.offer([.avif, .webp])
        let html = try picture.html(on: ImageServer(""))
        #expect(
            html.contains(
                "<source type=\"image/avif\" srcset=\"/photos/cat.jpg?w=400&amp;h=300&amp;fit=cover&amp;format=avif&amp;dpr=1 1x"
            )
        )
        #expect(html.contains("<source type=\"image/webp\""))
    }

    @Test func `no candidates are an error`() throws {
        var picture = PictureElement(.path("photos/cat.jpg"), alternative: "")
        picture.candidates = .widths([], sizes: "100vw")
        #expect(throws: ImageURLError.self) { try picture.html(on: ImageServer("")) }
    }
}
