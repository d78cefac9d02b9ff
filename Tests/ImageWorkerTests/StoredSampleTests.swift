import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// AVIFs whose decoded samples are not yet colours, compared with the colour that they were made of.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Workbench.encodes(.avif)))
struct StoredSampleTests {
    /// Checks that a file of a colour is shown with that colour.
    private static func check(_ sample: AVIFSample, shows colour: [UInt8], within most: Int) throws {
        let shown = try Workbench.pixels("", of: sample.file(of: colour), as: .avif)
        #expect(shown.alpha(8, 8) == colour[3])
        let isNear = zip(shown[8, 8], colour).allSatisfy { abs(Int($0) - Int($1)) <= most }
        #expect(isNear, "\(sample): \(shown[8, 8])")
    }

    @Test(arguments: [8, 10, 12] as [UInt32], [true, false])
    func `colours that were multiplied by alpha are divided by it`(depth: UInt32, isFullRange: Bool) throws {
        let sample = AVIFSample(depth: depth, isFullRange: isFullRange, isPremultiplied: true)
        // A step of a stored 8-bit sample is almost two of the result.
        try Self.check(sample, shows: [209, 218, 163, 177], within: 2)
        try Self.check(sample, shows: [255, 255, 255, 128], within: 2)
    }

    @Test(arguments: [8, 10, 12] as [UInt32], [true, false])
    func `greys of either range have the value that they were made of`(depth: UInt32, isFullRange: Bool) throws {
        var sample = AVIFSample(depth: depth, isGrey: true, isFullRange: isFullRange)
        for value in [0, 1, 16, 128, 218, 254, 255] as [UInt8] {
            try Self.check(sample, shows: [value, value, value, 255], within: 1)
        }
        try Self.check(sample, shows: [218, 218, 218, 177], within: 1)
        sample.isPremultiplied = true
        try Self.check(sample, shows: [218, 218, 218, 177], within: 2)
    }

    @Test(arguments: [8, 10, 12] as [UInt32])
    func `colours of the limited range have the value that they were made of`(depth: UInt32) throws {
        let sample = AVIFSample(depth: depth, isFullRange: false)
        try Self.check(sample, shows: [209, 218, 163, 255], within: 2)
    }

    @Test func `colours that were not multiplied stay as they are`() throws {
        try Self.check(AVIFSample(), shows: [209, 218, 163, 177], within: 2)
    }
}
