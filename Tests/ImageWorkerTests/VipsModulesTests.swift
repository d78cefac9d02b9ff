import CVips
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct VipsModulesTests {
    @Test func `only modules of supported formats are loaded`() throws {
        try VipsRuntime.start()
        func exists(_ name: String) -> Bool { unsafe vips_type_find("VipsForeign", name) != 0 }
        VipsModules.Module.heif.load()
        #expect(exists("VipsForeignLoadHeifBuffer"))
        #expect(exists("VipsForeignSaveHeifBuffer"))
        #expect(exists("VipsForeignLoadJpegBuffer"))
        // Separate modules on Debian; never loaded.
        #expect(!exists("VipsForeignLoadMagickBuffer"))
        #expect(!exists("VipsForeignLoadOpenslideFile"))
    }
}
