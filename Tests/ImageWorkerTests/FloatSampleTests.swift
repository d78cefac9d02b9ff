import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Originals with floating-point samples of 0–1.
@Suite(.timeLimit(.minutes(1)))
struct FloatSampleTests {
    init() { precondition(Workbench.isStarted) }

    private static let side = 16

    /// A file of one colour, with as many bands as that has.
    private func file(_ pixel: [Float], _ profile: [UInt8]? = nil, as format: ImageFormat) throws -> [UInt8] {
        let values = (0..<Self.side * Self.side).flatMap { _ in pixel }
        let raster = try Raster.floats(values, width: Self.side, height: Self.side, bands: pixel.count)
            .interpreted(as: pixel.count < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_scRGB)
            .withMetadata { metadata in if let profile { metadata.set(VIPS_META_ICC_NAME, profile) } }
        return try Workbench.encodeWithMetadata(raster, as: format)
    }

    /// Compares the colour of a result, and its alpha if there is one, at full size and resized.
    private func check(_ file: [UInt8], _ format: ImageFormat, _ expected: [UInt8]) throws {
        for query in ["", "w=8"] {
            let pixel = try Workbench.pixels(query, of: file, as: format)[4, 4]
            let isNear = zip(pixel, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
            #expect(pixel.count >= expected.count && isNear, "\(query): \(pixel), not \(expected)")
        }
    }

    @Test func `floats with a profile are in its encoding`() throws {
        // Display P3's (200, 100, 50) is sRGB's (215, 93, 31).
        let pixel = [200, 100, 50].map { Float($0) / 255 }
        try check(file(pixel, DisplayP3.profile, as: .tiff), .tiff, [215, 93, 31])
        try check(file(pixel + [0.5], DisplayP3.profile, as: .tiff), .tiff, [215, 93, 31, 128])
        let linear = try #require(StatedColour(transfer: .gamma(1)).profile(isGrey: true))
        try check(file([0.5], linear, as: .tiff), .tiff, [188, 188, 188])
        try check(file([0.002], linear, as: .tiff), .tiff, [7, 7, 7])
    }

    @Test func `floats without a profile are linear light`() throws {
        try check(file([0.5, 0.25, 0.1], as: .tiff), .tiff, [188, 137, 89])
        try check(file([0.5, 0.25, 0.1, 0.5], as: .tiff), .tiff, [188, 137, 89, 128])
        try check(file([0.5], as: .tiff), .tiff, [188, 188, 188])
        try check(file([-1, 0.25, 7], as: .tiff), .tiff, [0, 137, 255])
    }

    @Test(.enabled(if: Workbench.encodes(.jxl) && Workbench.decodes(.jxl)))
    func `a JPEG XL of floats has its colours`() throws {
        try check(file([0.5, 0.25, 0.1], as: .jxl), .jxl, [188, 137, 89])
        try check(file([0.5, 0.25, 0.1, 0.5], as: .jxl), .jxl, [188, 137, 89, 128])
        let pixel = [200, 100, 50].map { Float($0) / 255 }
        try check(file(pixel, DisplayP3.profile, as: .jxl), .jxl, [215, 93, 31])
    }
}
