import CVips
import Glibc

/// Starts libvips for untrusted input.
enum VipsRuntime {
    /// Starts libvips with one thread, without its operation cache, and with only the coders' loaders and savers.
    ///
    /// - Throws: `VipsError` if libvips cannot start.
    static func start() throws(VipsError) {
        setEnvironment()
        // Makes libvips use its precompiled loops instead of generating machine code with Orc, in all modes of the sandbox. A locked
        // worker cannot map executable memory, and Orc aborts the process then. Only grey images and enlargements of one side used
        // generated loops, since `Resampler` does the others.
        vips_vector_set_enabled(0)
        guard unsafe edge_vips_init("edgeprint-worker") == 0 else { throw VipsError.take("init") }
        vips_cache_set_max(0)
        vips_concurrency_set(1)
        unsafe vips_operation_block_set("VipsForeign", 1)
        for part in CoderRegistry.all.flatMap({ [$0.loader, $0.saver] }).compactMap(\.self) { part.unblock() }
    }

    /// Sets what libvips and Orc read from the environment; call it first while other threads run, which may read it meanwhile.
    static func setEnvironment() { environment }

    private static let environment: Void = {
        VipsModules.suppress()
        // Some operations of other versions use Orc regardless; this makes Orc emulate.
        unsafe setenv("ORC_CODE", "emulate", 1)
        // Else the loaders that cannot read row by row, as that of animated WebP, write images over 100 MB to a temporary file, and
        // the limit of file sizes ends the process. libvips knows no larger unit than g.
        unsafe setenv("VIPS_DISC_THRESHOLD", "1024g", 1)
    }()
}
