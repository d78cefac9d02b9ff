import Glibc
import HostileTestSupport
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Images that libvips would decode into a temporary file.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct LargeCanvasTests {
    /// An animated WebP with one small frame on a canvas.
    private func animation(side: Int) throws -> [UInt8] {
        let still = try Workbench.make("format=webp", of: TestImages.gradient(width: 8, height: 6), as: .png).bytes
        let image = Array(still.dropFirst(12))
        try #require(image.starts(with: HeaderBuilder.text("VP8 ")))
        let place = HeaderBuilder.little(0, 6) + HeaderBuilder.little(7, 3) + HeaderBuilder.little(5, 3)
        return HeaderBuilder.riff([
            HeaderBuilder.webpExtended(flags: 0x02, width: side, height: side), ("ANIM", [0, 0, 0, 0, 0, 0]),
            ("ANMF", place + [1, 0, 0, 0] + image),
        ])
    }

    /// Runs `body` with a limit of file sizes of a megabyte, and without the signal that ends a process above it.
    private func withoutLargeFiles<Result>(_ body: () throws -> Result) throws -> Result {
        let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var former = rlimit()
        try #require(unsafe getrlimit(kind, &former) == 0)
        var small = former
        small.rlim_cur = 1 << 20
        let handler = signal(SIGXFSZ, SIG_IGN)
        try #require(unsafe setrlimit(kind, &small) == 0)
        defer {
            unsafe setrlimit(kind, &former)
            _ = signal(SIGXFSZ, handler)
        }
        return try body()
    }

    @Test func `a canvas of over 100 MB needs no temporary file`() throws {
        let source = try animation(side: 5200)
        let made = try withoutLargeFiles { try Workbench.make("w=40&format=png", of: source, as: .webp) }
        #expect(made.description.width == 40 && made.description.height == 40)
    }
}
