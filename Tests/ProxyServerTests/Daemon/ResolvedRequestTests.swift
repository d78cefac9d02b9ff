import Glibc
import TestSupport
import Testing

/// Requests that come to the same with their original, through the daemon and real workers.
@Suite(.timeLimit(.minutes(1)))
struct ResolvedRequestTests {
    private let picture = TestImages.gradient(width: 320, height: 240)

    private func rig() throws -> EndToEndRig {
        try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
    }

    @Test func `boxes that the original fits into are one transform and one body, also after a restart`() throws {
        let rig = try rig()
        let targets = ["w=320", "w=2000", "w=3000", "h=240"]
        let first = try rig.get("/photos/a.png?w=320")
        #expect(first.status == 200)
        for query in targets {
            let answer = try rig.get("/photos/a.png?\(query)")
            #expect(answer.body == first.body && answer["ETag"] == first["ETag"])
            #expect(answer["Cache-Status"] == "edgeprint; hit; detail=memory")
        }
        #expect(rig.origin.requests == 1)
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
        #expect(try rig.metric("edgeprint_variants_resolved_total") == 3)
        // The original and four names of one file.
        try rig.waitForStores(5)
        #expect(try rig.metric("edgeprint_disk_links_total") == 3)
        #expect(
            try rig.metric("edgeprint_cache_bytes{tier=\"variants\"}") == Double(first.body.count)
        )
        try rig.restartAfterKill()
        let again = try rig.get("/photos/a.png?w=3000")
        #expect(again["Cache-Status"] == "edgeprint; hit; detail=disk" && again.body == first.body)
        // A box that nobody has asked for.
        let news = try rig.get("/photos/a.png?w=640&h=900")
        #expect(news["Cache-Status"] == "edgeprint; hit; detail=memory" && news.body == first.body)
        #expect(try rig.metric("edgeprint_transforms_total") == 0)
        #expect(rig.origin.requests == 1)
    }

    @Test func `clients with and without JPEG XL share an AVIF, and those with and without AVIF a JPEG XL`() throws {
        let jpeg = try rig().get("/photos/a.png?format=jpeg").body
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture, "a.jpg": jpeg]))
        let accepts = ["image/avif,image/webp", "image/jxl,image/webp", "image/avif,image/jxl,image/webp"]
        for (name, format, others) in [("a.png", "avif", [0, 2]), ("a.jpg", "jxl", [1, 2])] {
            let answers = try accepts.map { try rig.get("/photos/\(name)?w=100", [("Accept", $0)]) }
            #expect(Set(others.map { answers[$0].body }).count == 1 && Set(answers.map(\.body)).count == 2)
            for index in others { #expect(answers[index]["Content-Type"] == "image/\(format)", "\(name)") }
        }
        #expect(try rig.metric("edgeprint_transforms_total") == 4)
        #expect(try rig.metric("edgeprint_variants_resolved_total") == 2)
        // Two originals and six names of four files.
        try rig.waitForStores(8)
        #expect(try rig.metric("edgeprint_disk_links_total") == 2)
    }

    @Test func `formats and settings that come to the same are one variant for each bucket`() throws {
        let rig = try rig()
        let webp = [("Accept", "image/webp")]
        let first = try rig.get("/photos/a.png?w=100", webp)
        #expect(first["Content-Type"] == "image/webp")
        for query in ["w=100&format=webp", "w=100&q=79", "w=100&format=webp&progressive=1", "w=100&anim=first"] {
            let answer = try rig.get("/photos/a.png?\(query)", webp)
            #expect(answer.body == first.body && answer["Content-Type"] == "image/webp", "\(query)")
        }
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
        let png = try rig.get("/photos/a.png?w=100")
        #expect(png["Content-Type"] == "image/png")
        for query in ["w=100&format=png", "w=100&format=source", "w=100&q=7"] {
            #expect(try rig.get("/photos/a.png?\(query)").body == png.body, "\(query)")
        }
        #expect(try rig.metric("edgeprint_transforms_total") == 2)
        #expect(try rig.get("/photos/a.png?w=100&q=7&format=webp").body != first.body)
        #expect(try rig.metric("edgeprint_transforms_total") == 3)
    }

    @Test func `each request has its own name for the download and its own refusal`() throws {
        let rig = try rig()
        let first = try rig.get("/photos/a.png?w=320&filename=one&download=1")
        let second = try rig.get("/photos/a.png?w=999&filename=two&download=1")
        #expect(first["Content-Disposition"]?.contains("one") == true)
        #expect(second["Content-Disposition"]?.contains("two") == true)
        #expect(first.body == second.body && first["ETag"] == second["ETag"])
        for query in ["w=320&strict=1&format=png&max_bytes=9", "w=999&strict=1&format=png&max_bytes=9"] {
            let refused = try rig.get("/photos/a.png?\(query)")
            #expect(refused.status == 422 && refused["Cache-Status"] == "edgeprint; hit; detail=original")
        }
    }
}
