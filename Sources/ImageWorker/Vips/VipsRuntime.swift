import CLinux
import CVips
import Glibc

/// Starts libvips for untrusted input.
enum VipsRuntime {
    /// Starts libvips with one thread, without its operation cache, and with only the coders' loaders and savers.
    ///
    /// - Throws: `VipsError` if libvips cannot start.
    static func start() throws(VipsError) {
        VipsModules.suppress()
        CodeMemory.chooseLoops()
        guard unsafe edge_vips_init("edgeprint-worker") == 0 else { throw VipsError.take("init") }
        vips_cache_set_max(0)
        vips_concurrency_set(1)
        // Else the loaders that cannot read row by row, as that of animated WebP, write images over 100 MB to a temporary file, and
        // the limit of file sizes ends the process. libvips knows no larger unit than g.
        unsafe setenv("VIPS_DISC_THRESHOLD", "1024g", 1)
        unsafe vips_operation_block_set("VipsForeign", 1)
        // Unblock what the coders name.
        for part in CoderRegistry.all.flatMap({ [$0.loader, $0.saver] }).compactMap(\.self) {
            unsafe vips_operation_block_set(part.className, 0)
        }
    }
}

/// Whether this process may generate machine code, as Orc does for libvips' loops.
///
/// Orc aborts the process if it cannot, which would fail every job. It cannot if writable and executable memory is forbidden
/// (`MemoryDenyWriteExecute=`, SELinux' `execmem`) and `/tmp` is mounted `noexec`.
enum CodeMemory {
    /// The size of Orc's code regions in bytes.
    private static let size = 65_536
    /// A function of Orc; newer builds of libvips do not use Orc.
    private static let symbol = "orc_executor_run"

    /// Makes libvips use its precompiled, slower loops if Orc cannot generate code.
    ///
    /// Call it before libvips starts.
    static func chooseLoops() {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe edge_library_of(symbol, &path, path.count) == 0, !isPossible(in: folders) else { return }
        vips_vector_set_enabled(0)
        // Some operations use Orc regardless; this makes Orc emulate.
        unsafe setenv("ORC_CODE", "emulate", 1)
    }

    /// Whether Orc can map code memory: a file in one of the folders mapped twice, or a writable and executable mapping.
    static func isPossible(in folders: [String]) -> Bool {
        folders.contains(where: canMapFile) || map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1)
    }

    /// The folders that Orc tries, in order.
    private static var folders: [String] {
        let names = ["XDG_RUNTIME_DIR", "HOME", "TMPDIR"]
        return names.compactMap { (name: String) in unsafe getenv(name).map { unsafe String(cString: $0) } } + ["/tmp"]
    }

    private static func canMapFile(in folder: String) -> Bool {
        var name = Array((folder + "/edgeprint.XXXXXX").utf8CString)
        let file = unsafe mkstemp(&name)
        guard file >= 0 else { return false }
        defer { close(file) }
        unsafe unlink(&name)
        return ftruncate(file, size) == 0 && map(PROT_READ | PROT_EXEC, MAP_SHARED, file)
            && map(PROT_READ | PROT_WRITE, MAP_SHARED, file)
    }

    private static func map(_ protection: CInt, _ flags: CInt, _ file: CInt) -> Bool {
        let address = unsafe mmap(nil, size, protection, flags, file, 0)
        guard unsafe address != MAP_FAILED else { return false }
        unsafe munmap(address, size)
        return true
    }
}
