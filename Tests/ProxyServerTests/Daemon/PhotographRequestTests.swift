import ImagePlan
import TestSupport
import Testing

/// The real daemon with real photographs.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SharedImages.isAvailable))
struct PhotographRequestTests {
    let folder: TemporaryFolder
    let daemon: DaemonProcess

    init() throws {
        folder = try TemporaryFolder()
        daemon = try DaemonProcess(
            """
            sources: { images: { url: "file://\(try PhotographRequestTests.realPath(SharedImages.folder))/" } }
            cache: { path: "\(folder.path)/cache" }

            """,
            in: folder
        )
    }

    private func get(_ target: String, _ fields: [(String, String)] = []) throws -> RawHTTPResponse {
        try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get("/images/" + target, fields)
    }

    private func header(_ answer: RawHTTPResponse) throws -> ImageHeader {
        guard case .image(let header) = ImageSniffer.sniff(answer.body.span, totalLength: answer.body.count) else {
            throw NotAnImage(text: answer.description)
        }
        return header
    }

    private struct NotAnImage: Error { let text: String }

    @Test func `twelve megapixels become 512 by 384`() throws {
        let answer = try get("bus-12mp.jpg?w=512")
        let header = try header(answer)
        #expect([header.width, header.height] == [512, 384])
        #expect(header.format == .jpeg)
        #expect(answer["Content-Type"] == "image/jpeg")
        #expect(answer["Cache-Status"] == "edgeprint; fwd=uri-miss")
    }

    @Test(arguments: [("png", ImageFormat.png, true), ("webp", .webp, true), ("jpeg", .jpeg, false)])
    func `a circle has alpha if the format has`(name: String, format: ImageFormat, alpha: Bool) throws {
        let answer = try get("bus-12mp.jpg?w=400&h=400&fit=cover&gravity=attention&round=max&format=\(name)")
        let header = try header(answer)
        #expect(header.format == format)
        #expect([header.width, header.height] == [400, 400])
        #expect(header.hasAlpha == alpha)
    }

    @Test func `blur before resize and resize before blur are different variants of one original`() throws {
        let first = try get("bus-12mp.jpg?blur=8&w=300&format=jpeg")
        let second = try get("bus-12mp.jpg?w=300&blur=8&format=jpeg")
        #expect(second["Cache-Status"] == "edgeprint; hit; detail=original")
        #expect(first["ETag"] != second["ETag"])
        for answer in [first, second] {
            let header = try header(answer)
            #expect([header.width, header.height] == [300, 225])
        }
        // The blur of the small image is far stronger, so it encodes to fewer bytes.
        #expect(second.body.count < first.body.count)
    }

    @Test(arguments: 1...8)
    func `each orientation is served upright`(orientation: Int) throws {
        let header = try header(try get("exif-landscape-\(orientation).jpg?w=450"))
        #expect([header.width, header.height] == [450, 300])
        #expect(header.orientation == 1)
    }

    @Test(arguments: [("fox-10bit.avif", [300, 199]), ("hato-8bit.avif", [300, 199]), ("photo.webp", nil)])
    func `modern formats are read`(name: String, size: [Int]?) throws {
        let header = try header(try get("\(name)?w=300&format=png"))
        #expect(header.width == 300)
        if let size { #expect([header.width, header.height] == size) }
    }

    @Test func `AVIF is served by name, and by auto to clients that accept it`() throws {
        #expect(try header(try get("fox.jpg?w=120&format=avif")).format == .avif)
        let accept = [("Accept", "image/avif,image/webp,*/*")]
        #expect(try header(try get("fox.jpg?w=120", accept)).format == .avif)
    }

    @Test func `an animation stays animated if the format supports it`() throws {
        let gif = try header(try get("cogs.gif?w=30"))
        #expect(gif.format == .gif)
        #expect(gif.frames > 1)
        let webp = try header(try get("cogs.gif?w=30&format=webp"))
        #expect(webp.frames == gif.frames)
        #expect(try header(try get("cogs.gif?w=30&format=jpeg")).frames == 1)
    }

    @Test(arguments: [
        ("broken/truncated.jpg", 422), ("broken/truncated.gif", 422), ("logo.svg", 200), ("small.bmp", 200),
        ("favicon.ico", 200), ("page-box.pdf", 404),
        ("broken/looks-like-svg.webp", 200), ("README.md", 404), ("nothing.jpg", 404), ("broken", 404),
    ])
    func `broken and unsupported files`(name: String, status: Int) throws {
        let answer = try get("\(name)?w=50")
        #expect(answer.status == status, "\(answer.text)")
        #expect(!answer.text.contains(SharedImages.folder))
        #expect(try get("small-check-after.jpg").status == 404)
    }

    /// A file without an image signature is a 404: see `FolderAnswerTests`.
    @Test func `corrupt files of the PNG suite are refused, the others decoded`() throws {
        for name in TemporaryFolder.names(in: SharedImages.path("pngsuite")) where name.hasSuffix(".png") {
            let status = try get("pngsuite/\(name)?w=16&format=png").status
            #expect(status == 200 || name.hasPrefix("x") && (status == 422 || status == 404), "\(name): \(status)")
        }
    }

    private static func realPath(_ path: String) throws -> String {
        // A source's root is absolute and has no `..`.
        var parts: [Substring] = []
        for part in path.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
