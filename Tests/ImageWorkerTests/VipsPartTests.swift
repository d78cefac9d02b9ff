import CVips
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct VipsPartTests {
    private static let parts = CoderRegistry.all.flatMap { [$0.loader, $0.saver] }.compactMap(\.self)

    /// Whether libvips refuses to run an operation; `nil` if it does not have it.
    private static func isBlocked(_ operation: String) -> Bool? {
        guard unsafe vips_type_find("VipsOperation", operation) != 0,
            let made = unsafe vips_operation_new(operation)
        else { return nil }
        defer { unsafe g_object_unref(made) }
        return unsafe vips_operation_get_flags(made).rawValue & VIPS_OPERATION_BLOCKED.rawValue != 0
    }

    @Test func `finds the class of each operation that a coder uses, whatever its name`() throws {
        try VipsRuntime.start()
        for part in Self.parts {
            part.load()
            let name = try #require(part.className, "\(part.operation)")
            #expect(name.hasPrefix("VipsForeign") && name.hasSuffix("Buffer"), "\(part.operation): \(name)")
            #expect(unsafe g_type_is_a(g_type_from_name(name), g_type_from_name("VipsForeign")) != 0)
        }
        #expect(VipsPart(operation: "nonesuch_buffer").className == nil)
    }

    @Test func `the operations of coders are permitted, and no other ones`() throws {
        try VipsRuntime.start()
        for part in Self.parts {
            part.load()
            #expect(Self.isBlocked(part.operation) == false, "\(part.operation)")
        }
        for other in [
            "pngload", "pngload_source", "pngsave", "pngsave_target", "jpegload", "jpegsave", "tiffload", "svgload",
            "vipsload", "csvload", "rawload", "ppmload", "matload",
        ] {
            #expect(Self.isBlocked(other) != false, "\(other)")
        }
    }
}
