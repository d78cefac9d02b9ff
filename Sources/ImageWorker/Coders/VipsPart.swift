import CVips

/// A loader or saver of libvips, and the module that it lives in where libvips is built so.
struct VipsPart {
    /// The GObject class whose operations may run, such as `VipsForeignLoadJpeg`.
    let className: String
    /// The operation that is run, such as `jpegload_buffer`.
    let operation: String
    var module: VipsModules.Module?

    /// Whether libvips has it, or the module is there to be loaded.
    var isThere: Bool {
        unsafe vips_type_find("VipsOperation", operation) != 0 || module?.isInstalled ?? false
    }

    /// Loads the module, once; a part of libvips itself needs nothing.
    func load() { module?.load() }
}
