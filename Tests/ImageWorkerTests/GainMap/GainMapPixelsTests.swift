import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// The parts of gain maps, and the numbers that describe them.
@Suite(.timeLimit(.minutes(1)))
struct GainMapPixelsTests {
    private let map = GainMapPixels(
        size: PixelSize(width: 4, height: 2),
        channels: 1,
        samples: [0, 10, 20, 30, 40, 50, 60, 70]
    )

    private func shown(_ change: (inout SourceRegion) -> Void, _ width: Int, _ height: Int) -> [UInt8] {
        var region = SourceRegion(.upright)
        change(&region)
        return map.resampled(to: region, PixelSize(width: width, height: height), neutral: [255]).samples
    }

    @Test func `whole pixels are moved exactly`() {
        #expect(shown({ _ in }, 4, 2) == map.samples)
        #expect(shown({ $0.flipHorizontally() }, 4, 2) == [30, 20, 10, 0, 70, 60, 50, 40])
        #expect(shown({ $0.flipVertically() }, 4, 2) == [40, 50, 60, 70, 0, 10, 20, 30])
        #expect(shown({ $0.turn(quarters: 1) }, 2, 4) == [40, 0, 50, 10, 60, 20, 70, 30])
        #expect(shown({ $0.turn(quarters: 3) }, 2, 4) == [30, 70, 20, 60, 10, 50, 0, 40])
        let middle = PixelRectangle(left: 10, top: 0, width: 20, height: 10)
        #expect(shown({ $0.crop(middle, of: PixelSize(width: 40, height: 20)) }, 2, 1) == [10, 20])
    }

    @Test func `parts of pixels are mixed`() {
        // From 1.5 to 2.5 pixels: the mean of the second and the third.
        let part = PixelRectangle(left: 15, top: 0, width: 10, height: 10)
        #expect(shown({ $0.crop(part, of: PixelSize(width: 40, height: 20)) }, 1, 1) == [15])
        #expect(shown({ _ in }, 1, 1) == [35])
    }

    @Test func `margins are neutral`() {
        let canvas = PixelRectangle(left: -10, top: 0, width: 60, height: 20)
        #expect(
            shown({ $0.crop(canvas, of: PixelSize(width: 40, height: 20)) }, 6, 2) == [
                255, 0, 10, 20, 30, 255, 255, 40, 50, 60, 70, 255,
            ]
        )
        var region = SourceRegion(.upright)
        #expect(!region.hasMargins)
        region.crop(canvas, of: PixelSize(width: 40, height: 20))
        #expect(region.hasMargins)
        region.crop(PixelRectangle(left: 10, top: 0, width: 40, height: 20), of: PixelSize(width: 60, height: 20))
        #expect(!region.hasMargins)
    }

    @Test func `channels are kept apart`() {
        let map = GainMapPixels(size: PixelSize(width: 2, height: 1), channels: 3, samples: [1, 2, 3, 4, 5, 6])
        let region = SourceRegion(Orientation(exif: 2))
        #expect(
            map.resampled(to: region, PixelSize(width: 2, height: 1), neutral: [0, 0, 0]).samples == [4, 5, 6, 1, 2, 3]
        )
    }

    @Test func `properties of each channel are written as they were read`() throws {
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
            xmlns:g="http://ns.adobe.com/hdr-gain-map/1.0/" g:Version="1.0" g:HDRCapacityMax="2.5"><g:GainMapMin><rdf:Seq>
            <rdf:li>-1</rdf:li><rdf:li>0</rdf:li><rdf:li>0.5</rdf:li></rdf:Seq></g:GainMapMin><g:GainMapMax> 3 </g:GainMapMax>
            <g:Gamma>2</g:Gamma></rdf:Description></rdf:RDF></x:xmpmeta>
            """
        let properties = try #require(GainMapProperties(packet: Array(packet.utf8)))
        #expect(properties.minimum == [-1, 0, 0.5] && properties.maximum == [3] && properties.fullHeadroom == [2.5])
        #expect(properties.gamma == [2] && properties.baseOffset == [1.0 / 64] && properties.leastHeadroom == [0])
        // A quarter of the way, squared.
        #expect((0..<3).map { properties.neutral($0) } == [16, 0, 0])
        #expect(GainMapProperties(packet: properties.packet) == properties)
    }

    @Test(
        arguments: [
            ("Version=\"1.0\"", "Version=\"2.0\""), ("GainMapMax=\"3\"", ""), ("HDRCapacityMax=\"3\"", ""),
            ("Gamma=\"1\"", "Gamma=\"0\""),
            ("GainMapMin=\"-1\"", "GainMapMin=\"4\""), ("Gamma=\"1\"", "Gamma=\"nan\""), ("Gamma=\"1\"", "Gamma=\"\""),
            ("hdr-gain-map/1.0/", "hdr-gain-map/9.0/"),
        ]
    )
    func `properties without meaning are refused`(text: String, replacement: String) {
        #expect(GainMapProperties(packet: Array(UltraHDR.properties.utf8)) != nil)
        let packet = UltraHDR.properties.replacing(text, with: replacement)
        #expect(packet != UltraHDR.properties && GainMapProperties(packet: Array(packet.utf8)) == nil)
    }

    @Test func `segments are written as they were read, without what follows`() throws {
        let segment = try #require(GainMapSegment(UltraHDR.segment + [1, 2, 3]))
        #expect(segment.content == UltraHDR.segment && segment.neutral(2) == 64)
        // A common denominator of 4: a minimum of -1 and a maximum of 3 in the first channel, 0 and 2 in the others.
        let numbers = [4, 0, 12, -4, 12, 4, 0, 0] + [0, 8, 4, 0, 0] + [0, 8, 4, 0, 0]
        let words = numbers.flatMap { number in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        let common = try #require(GainMapSegment([0, 0, 0, 1, 0x88] + words))
        #expect(common.content == [0, 0, 0, 1, 0x88] + words && (0..<3).map { common.neutral($0) } == [64, 0, 0])
    }

    @Test func `segments without meaning are refused`() {
        for length in 0..<UltraHDR.segment.count { #expect(GainMapSegment(Array(UltraHDR.segment[..<length])) == nil) }
        // A later version, the other direction, a denominator of 0, a minimum above the maximum.
        for (place, value) in [(1, UInt8(1)), (4, 4), (12, 0), (21, 9)] {
            var segment = UltraHDR.segment
            segment[place] = value
            if place == 21 { segment[21...24] = [0, 0, 0, 9] }
            #expect(GainMapSegment(segment) == nil, "\(place)")
        }
    }
}
