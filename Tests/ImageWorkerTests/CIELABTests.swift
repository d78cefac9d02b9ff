import CLCMS
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// TIFFs in CIELAB.
@Suite(.timeLimit(.minutes(1)))
struct CIELABTests {
    private static let side = 8

    /// A TIFF of one colour with 8 bits per sample (TIFF 6.0, section 23).
    private static func tiff(_ pixel: [UInt8], _ profile: [UInt8] = []) -> [UInt8] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        let pixels = (0..<side * side).flatMap { _ in pixel }
        // Tag, type (3 is 16 bits, 4 is 32, 7 is bytes), count, and value or place.
        var entries = [
            [256, 3, 1, side], [257, 3, 1, side], [258, 3, 3, 8 + pixels.count], [259, 3, 1, 1], [262, 3, 1, 8],
            [273, 4, 1, 8], [277, 3, 1, 3], [278, 3, 1, side], [279, 4, 1, pixels.count],
        ]
        let depths: [UInt8] = [8, 0, 8, 0, 8, 0]
        let data = pixels + depths + profile
        if !profile.isEmpty { entries.append([34_675, 7, profile.count, 8 + pixels.count + depths.count]) }
        var file = Array("II".utf8) + bytes(42, 2) + bytes(8 + data.count, 4)
        file += data
        file += bytes(entries.count, 2)
        for entry in entries {
            file += bytes(entry[0], 2)
            file += bytes(entry[1], 2)
            file += bytes(entry[2], 4)
            file += bytes(entry[3], 4)
        }
        return file + bytes(0, 4)
    }

    @Test(arguments: [false, true])
    func `colours are those of CIELAB with D50, with or without a profile`(hasProfile: Bool) throws {
        let profile: [UInt8] = hasProfile ? unsafe ProfileTests.bytes(of: cmsCreateLab2Profile(nil)) : []
        let cases: [([UInt8], [UInt8])] = [
            ([218, 246, 26], [209, 219, 164]), ([136, 80, 67], [251, 0, 8]), ([128, 0, 0], [119, 119, 119]),
            ([255, 0, 0], [255, 255, 255]), ([0, 0, 0], [0, 0, 0]),
        ]
        for (pixel, expected) in cases {
            for query in ["", "w=4"] {
                let shown = try Workbench.pixels(query, of: Self.tiff(pixel, profile), as: .tiff)[2, 2].prefix(3)
                let isNear = zip(shown, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
                #expect(isNear, "\(query): \(shown), not \(expected)")
            }
        }
    }

    @Test func `a TIFF in CIELAB has no alpha and 8 bits`() throws {
        let made = try Workbench.make("format=json", of: Self.tiff([218, 246, 26]), as: .tiff)
        let text = String(decoding: made.bytes, as: UTF8.self)
        for fact in [#""hasAlpha":false"#, #""depth":8"#, #""space":"lab""#] { #expect(text.contains(fact), "\(text)") }
    }
}
