import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CostEstimateTests {
    private func estimate(_ query: String, _ header: ImageHeader, as format: ImageFormat = .jpeg) throws -> CostEstimate
    {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        return try CostEstimate(of: plan, header: header, format: format)
    }

    private let photo = ImageHeader(format: .jpeg, width: 4032, height: 3024)

    @Test func `counts the pixels decoded after shrink-on-load`() throws {
        let estimate = try estimate("w=512", photo)
        #expect(estimate.decodedPixels == 1008 * 756)
        #expect(estimate.encodedPixels == 512 * 384)
        #expect(try self.estimate("sharpen=3&w=512", photo).decodedPixels == 4032 * 3024)
        #expect(try self.estimate("blur=3&w=512", photo).decodedPixels == 2016 * 1512)
    }

    @Test func `counts frames only if the result has them`() throws {
        let animation = ImageHeader(format: .gif, width: 100, height: 50, frames: 20)
        #expect(try estimate("w=50", animation, as: .webp).decodedPixels == 20 * 5000)
        #expect(try estimate("w=50", animation, as: .jpeg).decodedPixels == 5000)
    }

    @Test func `orientation swaps the sides`() throws {
        let turned = ImageHeader(format: .png, width: 100, height: 50, orientation: 6)
        #expect(try estimate("w=25", turned).encodedPixels == 25 * 50)
    }

    @Test func `more work costs more`() throws {
        let plain = try estimate("w=512", photo).work
        #expect(try estimate("w=512&blur=3", photo).work > plain)
        #expect(try estimate("w=512&blur=4", photo).work > estimate("w=512&blur=1", photo).work)
        // A wide blur runs on a reduced image.
        #expect(try estimate("w=512&blur=30", photo).work < estimate("w=512&blur=4", photo).work)
        #expect(try estimate("blur=3&w=512", photo).work > estimate("w=512&blur=3", photo).work)
    }

    @Test func `a search for the place of a crop costs more, most of all one for faces`() throws {
        for query in ["w=400&h=400&fit=cover", "w=800&crop=400x400"] {
            let work = try ["center", "attention", "subject"].map { try estimate("\(query)&gravity=\($0)", photo).work }
            #expect(work[0] < work[1] && work[1] < work[2])
            // The search for faces has an upper limit.
            #expect(work[2] - work[1] <= 320 * 240 * 60)
        }
    }

    @Test func `the search for faces costs what it takes, also in a thumbnail`() throws {
        let work = try ["center", "subject"].map { try estimate("w=240&h=240&fit=cover&gravity=\($0)", photo).work }
        // 23 ms, and 2 ms of the search without faces; a unit is 5 ns in `JobEstimate`.
        let milliseconds = Double((work[1] - work[0]) * 5) / 1e6
        #expect((20...28).contains(milliseconds))
    }

    @Test func `does not overflow on absurd claims`() throws {
        let absurd = ImageHeader(format: .gif, width: 1 << 31, height: 1 << 31, frames: .max)
        #expect(try estimate("", absurd, as: .gif).decodedPixels == .max)
    }

    @Test func `a source without a size costs what the request requires`() throws {
        let drawing = ImageHeader(format: .svg, width: 0, height: 0)
        #expect(try estimate("w=200&h=100", drawing, as: .png).encodedPixels == 20_000)
        #expect(try estimate("", drawing, as: .png).encodedPixels == 0)
    }
}
