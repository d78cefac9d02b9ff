import CVips

/// Starts libvips as a service for untrusted bytes.
enum VipsRuntime {
    /// Starts libvips on one thread, without a cache of operations.
    ///
    /// - Throws: `VipsError` when libvips cannot start.
    static func start() throws(VipsError) {
        VipsModules.suppress()
        CodeMemory.chooseLoops()
        guard unsafe edge_vips_init("edgeprint-worker") == 0 else { throw VipsError.take("init") }
        vips_cache_set_max(0)
        vips_concurrency_set(1)
        unsafe vips_operation_block_set("VipsForeign", 1)
        // Only what the coders name may run.
        for part in CoderRegistry.all.flatMap({ [$0.loader, $0.saver] }).compactMap(\.self) {
            unsafe vips_operation_block_set(part.className, 0)
        }
    }
}
