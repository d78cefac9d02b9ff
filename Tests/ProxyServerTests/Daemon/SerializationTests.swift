import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Originals stored as lossless copies (`serialize: lossless`), through the real daemon and its workers.
@Suite(.timeLimit(.minutes(2)))
struct SerializationTests {
    private static let width = 640
    private static let height = 560
    private static let samples = TestImages.samples(width: width, height: height)
    /// All of 1 MiB and more.
    private static let pictures: [String: [UInt8]] = [
        "a.bmp": TestImages.bmp(width: width, height: height, rgb: samples.map { UInt8($0) }),
        "a.tif": TestImages.tiff(width: width, height: height, samples: samples, depth: 8, orientation: 6),
        "deep.tif": TestImages.tiff(
            width: width,
            height: height,
            samples: TestImages.samples(width: width, height: height, depth: 16),
            depth: 16
        ),
        "a.png": TestImages.gradient(width: width, height: height),
    ]
    private static let lossless = ", serialize: lossless"

    @Test(arguments: pictures.keys.sorted())
    func `after the first variant, a smaller copy replaces the original, and later variants are the same`(
        _ name: String
    ) throws {
        let original = try #require(Self.pictures[name])
        let script = ScriptedOrigin.pictures(Self.pictures)
        let plain = try EndToEndRig(script: script)
        let rig = try EndToEndRig(source: Self.lossless, script: script)
        #expect(try rig.get("/photos/\(name)?w=50&format=png").status == 200)
        try rig.waitForCopy()
        #expect(rig.files("variants").reduce(0, +) < original.count)
        for query in ["w=100&format=png", "format=png", "w=80&format=jpeg", "rotate=90&w=70&format=png"] {
            let made = try rig.get("/photos/\(name)?\(query)")
            #expect(made.status == 200 && made["Cache-Status"]?.contains("fwd=uri-miss") != true)
            #expect(try made.body == plain.get("/photos/\(name)?\(query)").body, "\(query)")
        }
        #expect(rig.origin.requests == 1)
        try rig.restartAfterKill(source: Self.lossless)
        let later = try rig.get("/photos/\(name)?w=120&format=png")
        #expect(try later.body == plain.get("/photos/\(name)?w=120&format=png").body)
        #expect(rig.origin.requests == 1)
    }

    @Test func `a request for the original fetches it again, and the next variant drops it`() throws {
        let original = try #require(Self.pictures["a.bmp"])
        let rig = try EndToEndRig(source: Self.lossless, script: ScriptedOrigin.pictures(Self.pictures))
        _ = try rig.get("/photos/a.bmp?w=50&format=png")
        try rig.waitForCopy()
        for _ in 0..<2 {
            let bare = try rig.get("/photos/a.bmp")
            #expect(bare.status == 200 && bare.body == original)
        }
        #expect(rig.origin.requests == 2)
        _ = try rig.get("/photos/a.bmp?w=60&format=png")
        try rig.waitForCopy()
        #expect(try rig.get("/photos/a.bmp?w=70&format=png").status == 200)
        #expect(rig.origin.requests == 2)
    }

    @Test func `originals: clean and kept metadata use the original`() throws {
        let script = ScriptedOrigin.pictures(Self.pictures)
        let rig = try EndToEndRig(source: Self.lossless + ", originals: clean", script: script)
        let plain = try EndToEndRig(source: ", originals: clean", script: script)
        _ = try rig.get("/photos/a.png?w=50")
        try rig.waitForCopy()
        #expect(try rig.get("/photos/a.png").body == plain.get("/photos/a.png").body)
        #expect(try rig.get("/photos/a.png?w=60&meta=copyright").status == 200)
        #expect(try rig.get("/photos/a.png?format=json").body == plain.get("/photos/a.png?format=json").body)
        #expect(rig.origin.requests == 2)
    }

    @Test func `a validation keeps the copy, and another body makes it void`() throws {
        let isChanged = Lock(false)
        let pictures = Self.pictures
        let rig = try EndToEndRig(source: Self.lossless) { request, connection in
            let name = isChanged.withLock { $0 } ? "a.bmp" : "deep.tif"
            let fields = ["Cache-Control: max-age=0", "ETag: \"\(name)\""]
            if request.field("If-None-Match") == "\"\(name)\"" {
                connection.respond("304 Not Modified", fields, body: [])
            } else {
                connection.respond("200 OK", fields, body: pictures[name] ?? [])
            }
        }
        let plain = try EndToEndRig(script: ScriptedOrigin.pictures(pictures))
        _ = try rig.get("/photos/a?w=50&format=png")
        try rig.waitForCopy()
        #expect(try rig.get("/photos/a?w=60&format=png").body == plain.get("/photos/deep.tif?w=60&format=png").body)
        #expect(rig.origin.heads.map { ScriptedRequest.field("If-None-Match", in: $0) } == [nil, "\"deep.tif\""])
        isChanged.withLock { $0 = true }
        #expect(try rig.get("/photos/a?w=70&format=png").body == plain.get("/photos/a.bmp?w=70&format=png").body)
        try rig.waitForCopy()
        #expect(try rig.get("/photos/a?w=80&format=png").body == plain.get("/photos/a.bmp?w=80&format=png").body)
    }

    @Test func `a small original, and any by default, keeps its body`() throws {
        let small = TestImages.gradient(width: 200, height: 200)
        let script = ScriptedOrigin.pictures(["a.png": small, "a.bmp": try #require(Self.pictures["a.bmp"])])
        for (source, name) in [(Self.lossless, "a.png"), ("", "a.bmp")] {
            let rig = try EndToEndRig(source: source, script: script)
            _ = try rig.get("/photos/\(name)?w=50&format=png")
            // The original and the variant; a copy would be a third.
            try rig.waitForStores(2)
            #expect(try rig.get("/photos/\(name)").status == 200 && rig.origin.requests == 1)
            #expect(rig.files("originals").count == 1 && rig.files("variants").count == 1)
        }
    }
}

extension EndToEndRig {
    /// The paths of the files of originals or variants in the cache.
    func paths(_ folder: String) -> [String] {
        var paths: [String] = []
        var open = ["\(self.folder.path)/cache/\(folder)"]
        while let path = open.popLast() {
            for name in TemporaryFolder.names(in: path) {
                if name.utf8.count == 2 { open.append("\(path)/\(name)") } else { paths.append("\(path)/\(name)") }
            }
        }
        return paths
    }

    /// The sizes of these files in bytes; a file may vanish meanwhile.
    func files(_ folder: String) -> [Int] {
        paths(folder).compactMap { path in
            var status = stat()
            return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
        }
    }

    /// Waits until the cache has copies and variants, and no body of an original.
    func waitForCopy() throws {
        try waitWhile(files("variants").count < 2 || !files("originals").isEmpty)
    }
}
