import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Popular images are encoded again with more effort.
@Suite(.timeLimit(.minutes(2)))
struct SecondEncodingTests {
    /// Slow and fast waves, edges of different colours and a little noise in brightness, like a photograph.
    private static let picture: PixelImage = {
        var generator = SeededGenerator(seed: 7)
        return PixelImage(width: 256, height: 192) { x, y in
            let (u, v) = (Double(x), Double(y))
            let wave =
                40 * sin(u / 37 + v / 23) + 25 * sin(u / 5 - v / 9) + Double(Int.random(in: -4...4, using: &generator))
            let base: [Double] = (x - 90) * (x - 90) + (y - 80) * (y - 80) < 3_000 ? [170, 110, 80] : [80, 120, 130]
            return base.map { UInt8(clamping: Int($0 + wave)) } + [255]
        }
    }()

    private func make(_ query: String, effort: Int?) throws -> Workbench.Made {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
        let search = EncodingSearch(secondEffort: effort)
        let output = WorkerJob.Output(plan: plan, bucket: .rest, quality: QualityDefaults(), search: search)
        return try Workbench.make(output, of: Workbench.png(Self.picture), as: .png, milliseconds: 60_000)
    }

    private func score(_ made: Workbench.Made) throws -> Double {
        try Workbench.score(Workbench.pixels("bg=ffffff", of: Workbench.png(Self.picture)), Workbench.decode(made))
    }

    @Test(arguments: [("webp", 6), ("avif", 3)])
    func `it has fewer bytes at the same score`(format: String, effort: Int) throws {
        let query = "format=\(format)&bg=ffffff"
        let (first, second) = (try make(query, effort: nil), try make(query, effort: effort))
        #expect(second.bytes.count < first.bytes.count)
        let (before, after) = (try score(first), try score(second))
        #expect(abs(after - before) < 0.8, "\(before) \(after)")
        // What is said of a search is said of those that a request asks for.
        #expect(second.description.tries == 0 && second.description.score == nil)
        #expect(try make(query, effort: effort).bytes == second.bytes)
    }

    @Test func `the result of q=auto keeps its score, and states its own quality`() throws {
        let query = "format=avif&bg=ffffff&q=auto"
        let (first, second) = (try make(query, effort: nil), try make(query, effort: 3))
        #expect(second.bytes.count < first.bytes.count)
        let (before, after) = (try #require(first.description.found), try #require(second.description.found))
        #expect(abs(after.score - before.score) <= 5 && second.description.tries == first.description.tries)
    }

    @Test func `a progressive JPEG keeps its pixels`() throws {
        let query = "format=jpeg&bg=ffffff&progressive=1"
        let (first, second) = (try make(query, effort: nil), try make(query, effort: 9))
        #expect(second.bytes.count < first.bytes.count)
        #expect(try Workbench.decode(first) == Workbench.decode(second))
    }

    @Test(arguments: ["w=64&h=48&format=webp&bg=ffffff", "format=webp&lossless=1"])
    func `images too small to be scored, and lossless ones, keep their encoding`(query: String) throws {
        #expect(try make(query, effort: 6).bytes == make(query, effort: nil).bytes)
    }
}
