import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GainMapSearchTests {
    /// Returns what is found, and how many bytes are read for it.
    private func find(in file: [UInt8]) -> (GainMapSearch.Finding?, read: Int) {
        var read = 0
        let found = GainMapSearch.find(length: file.count) { range in
            read += range.count
            return Array(file[range])
        }
        return (found, read)
    }

    private let picture: [UInt8] = [0xFF, 0xD8] + UltraHDR.marker(0xE0, Array("JFIF\0".utf8)) + [0xFF, 0xDA, 0, 2]

    @Test func `finds the image that says so, with what it says`() throws {
        let map = UltraHDR.map(picture)
        let (found, read) = find(in: UltraHDR.file(picture, map))
        let finding = try #require(found)
        #expect(finding.range.count == map.count && finding.segment == UltraHDR.segment)
        #expect(finding.packet == Array(UltraHDR.properties.utf8) && read < 8_000)
        #expect(find(in: UltraHDR.file(picture, picture)).0 == nil)
    }

    @Test func `reads a bounded number of bytes of a file that hides it`() {
        let packet = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + [UInt8](repeating: UInt8(ascii: "h"), count: 65_000)
        let segments = (0..<100).flatMap { _ in UltraHDR.marker(0xE1, packet) }
        let (found, read) = find(in: UltraHDR.file(picture, [0xFF, 0xD8] + segments))
        #expect(found == nil && read <= 512 << 10)
    }
}
