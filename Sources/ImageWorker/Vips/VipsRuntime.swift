import CVips

/// Starts libvips as a service for untrusted bytes.
enum VipsRuntime {
    /// Loaders that may run, by class; everything else that loads or saves is blocked.
    private static let loaders = [
        "VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadNsgif", "VipsForeignLoadWebp",
        "VipsForeignLoadHeif",
        "VipsForeignLoadTiff",
    ]
    private static let savers = [
        "VipsForeignSaveJpeg", "VipsForeignSavePng", "VipsForeignSaveCgif", "VipsForeignSaveWebp",
        "VipsForeignSaveHeif",
    ]

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
        for name in loaders + savers { unsafe vips_operation_block_set(name, 0) }
    }
}
