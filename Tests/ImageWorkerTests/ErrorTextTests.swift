import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// The text of a failure belongs to the failing operation.
@Suite(.serialized)
struct ErrorTextTests {
    /// Makes libvips fail without reading its error.
    private func leaveWords() {
        var out: UnsafeMutablePointer<VipsImage>?
        let junk = Array("no picture".utf8)
        let failed = unsafe edge_vips_load_jpeg(junk, junk.count, &out, 1)
        #expect(failed != 0)
        #expect(unsafe vips_error_buffer().pointee != 0)
    }

    private func words(_ body: () throws -> Void) -> String? {
        switch #expect(throws: (any Error).self, performing: body) {
        case let error as VipsError: error.text
        case let failure as WorkerReply.Failure: "\(failure)"
        default: nil
        }
    }

    @Test func `a job does not report an earlier error`() throws {
        precondition(Workbench.isStarted)
        let broken = Array(
            try Workbench.make("format=jpeg", of: TestImages.gradient(width: 64, height: 64), as: .png).bytes.prefix(
                300
            )
        )
        func failure() -> String? { words { _ = try Workbench.make("w=9&format=png", of: broken, as: .jpeg) } }
        let own = failure()
        leaveWords()
        #expect(failure() == own)
        #expect(own?.contains("Not a JPEG") == false)
    }

    @Test func `a step does not report another step's error`() throws {
        precondition(Workbench.isStarted)
        let grey = try Raster.greyscale([UInt8](repeating: 1, count: 4), width: 2, height: 2)
        func crop() -> String? { words { _ = try grey.cropped(left: 5, top: 5, width: 9, height: 9).inMemory() } }
        let own = crop()
        leaveWords()
        #expect(crop() == own && own != nil)
    }
}
