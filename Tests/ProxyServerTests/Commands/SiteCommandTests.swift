import TestSupport
import Testing

/// Commands that name a site, or find it by a host.
@Suite(.timeLimit(.minutes(1)))
struct SiteCommandTests {
    private let file: ConfigurationText

    init() throws {
        file = try ConfigurationText(
            """
            hosts: [img.example]
            sources: { photos: { url: "https://photos.example.com/" } }
            limits: { pixels: 9MP }
            sites:
              shop:
                hosts: [shop.example]
                signing: { keys: [\(String(repeating: "a1", count: 16))] }
                limits: { frames: 9 }
                sources: { wares: { url: "https://wares.example.com/", ttl: 3h } }
              blog: { prefix: /blog, sources: { posts: { url: "https://posts.example.com/" } } }
            """
        )
    }

    private func run(_ arguments: String...) throws -> CommandRun {
        try CommandRun(arguments + ["--config", file.path])
    }

    @Test func `url takes the sources, keys and prefix of a site`() throws {
        #expect(try run("url", "photos/a.jpg", "w=4").output == "/photos/a.jpg?w=4\n")
        #expect(try run("url", "wares/a.jpg", "w=4", "--site", "shop").output.hasPrefix("/wares/a.jpg?w=4&sig="))
        #expect(try run("url", "posts/a.jpg", "w=4", "--site", "blog").output == "/blog/posts/a.jpg?w=4\n")
        let foreign = try run("url", "photos/a.jpg", "--site", "shop")
        #expect(foreign.code == 1 && foreign.errors.contains("There is no such source 'photos'"), "\(foreign.errors)")
        let unknown = try run("url", "photos/a.jpg", "--site", "shp")
        #expect(unknown.code == 1 && unknown.errors.contains("did you mean shop?"), "\(unknown.errors)")
    }

    @Test func `explain finds the site by name, host or prefix, and shows its keys`() throws {
        for arguments in [["/wares/a.jpg?w=4", "--site", "shop"], ["https://shop.example/wares/a.jpg?w=4"]] {
            let run = try CommandRun(["explain"] + arguments + ["--config", file.path])
            #expect(run.code == 0, "\(run.output)")
            #expect(run.output.contains("https://wares.example.com/a.jpg"))
            #expect(run.output.contains("sites.shop.sources.wares.ttl"), "\(run.output)")
            #expect(run.output.contains("sites.shop.limits.frames") && run.output.contains(" limits.pixels"))
        }
        let blog = try run("explain", "/blog/posts/a.jpg?w=4")
        #expect(blog.code == 0 && blog.output.hasPrefix("/blog/posts/a.jpg?w=4\n"), "\(blog.output)")
        #expect(try run("explain", "/photos/a.jpg").code == 0)
        let other = try run("explain", "https://other.example/photos/a.jpg")
        #expect(other.code == 1 && other.output.contains("responds with 421 Misdirected Request"), "\(other.output)")
    }

    @Test func `purge names a site`() throws {
        let rig = try SiteRig()
        for host in ["img.example", "shop.example"] { _ = try rig.ask("/photos/a.png", host: host) }
        try rig.waitUntil("edgeprint_site_originals{site=\"shop\"}", is: 1)
        let purge = try CommandRun([
            "purge", "--all", "--site", "shop", "--config", rig.daemon.configurationFile, "--admin",
            "127.0.0.1:\(rig.daemon.admin)",
        ])
        #expect(
            purge.code == 0 && purge.output.hasPrefix("everything of site shop: removed 1 originals"),
            "\(purge.output)\(purge.errors)"
        )
        #expect(try rig.status("/photos/a.png", host: "img.example") == "edgeprint; hit; detail=memory")
        #expect(try rig.status("/photos/a.png", host: "shop.example") == "edgeprint; fwd=uri-miss")
    }
}
