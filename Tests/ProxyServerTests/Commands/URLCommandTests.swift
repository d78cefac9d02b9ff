import ImagePlan
import TestSupport
import Testing

/// `edgeprint url` without a daemon.
@Suite(.timeLimit(.minutes(1)))
struct URLCommandTests {
    private let file: ConfigurationText

    init() throws {
        file = try ConfigurationText("sources: { photos: { url: \"https://photos.example.com/\" } }")
    }

    private func run(_ arguments: String...) throws -> CommandRun {
        try CommandRun(["url"] + arguments + ["--config", file.path])
    }

    @Test func `--widths replaces w in place`() throws {
        let run = try run("photos/cat.jpg", "w=400", "--widths", "320,640")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "/photos/cat.jpg?w=320 320w, /photos/cat.jpg?w=640 640w\n")
        let placed = try self.run("photos/cat.jpg", "blur=2", "w=400", "q=75", "--widths", "320")
        #expect(placed.output == "/photos/cat.jpg?blur=2&w=320&q=75 320w\n")
        #expect(try self.run("photos/cat.jpg", "q=75", "--widths", "320").output == "/photos/cat.jpg?w=320&q=75 320w\n")
    }

    @Test func `--widths stands behind a preset, whose steps come first`() throws {
        let file = try ConfigurationText(
            """
            sources: { photos: { url: "https://photos.example.com/" } }
            presets: { card: "crop=150x100&w=100" }
            """
        )
        let run = try CommandRun(["url", "photos/cat.jpg", "preset=card", "--widths", "320", "--config", file.path])
        #expect(run.output == "/photos/cat.jpg?preset=card&w=320 320w\n", "\(run.errors)")
        let options = ParseOptions(presets: ["card": try Preset(name: "card", text: "crop=150x100&w=100")])
        let texts = try ["preset=card&w=320", "crop=150x100&w=320"].map {
            try RequestLanguage.parse(query: $0, options: options).plan.canonicalText
        }
        #expect(texts[0] == texts[1])
    }

    @Test func `--widths drops dpr, and refuses a height that it cannot scale`() throws {
        let run = try run("photos/cat.jpg", "w=100", "dpr=2", "--widths", "320")
        #expect(run.output == "/photos/cat.jpg?w=320 320w\n", "\(run.errors)")
        let lone = try self.run("photos/cat.jpg", "h=50", "--widths", "320")
        #expect(lone.code == 1 && lone.errors.contains("h: must have a w beside it"), "\(lone.errors)")
    }

    @Test(arguments: ["0", "1", "999999999"])
    func `a validity without a unit is not taken for the beginning of 1970`(text: String) throws {
        let run = try run("photos/cat.jpg", "--expires", text)
        #expect(
            run.code == 64 && run.errors.contains("--expires '\(text)' has no unit, such as h in 1h"),
            "\(run.errors)"
        )
    }

    @Test func `an error names its parameter once`() throws {
        let run = try run("photos/cat.jpg", "w=400", "w=300")
        #expect(run.code == 1 && run.errors == "edgeprint: w: is given more than once\n", "\(run.errors)")
        let own = try self.run("photos/cat.jpg", "sig=abc")
        #expect(own.errors.hasPrefix("edgeprint: sig: sig cannot be given as a parameter"), "\(own.errors)")
    }
}
