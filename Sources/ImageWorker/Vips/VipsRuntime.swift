import CLinux
import CVips
import Glibc

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

/// Whether this process may make machine code, as Orc does of libvips' loops.
///
/// Orc ends the process at the first loop where it may not, and so every picture would fail: a service that forbids memory
/// which is writable and executable (`MemoryDenyWriteExecute=`, SELinux' `execmem`) and a `/tmp` mounted `noexec` are enough.
enum CodeMemory {
    /// Bytes that Orc asks for at a time.
    private static let size = 65_536
    /// A function of Orc, which newer builds of libvips do without.
    private static let symbol = "orc_executor_run"

    /// Makes libvips take its loops as they were compiled with it where no others can be made: slower pictures, not none.
    ///
    /// To be called before libvips starts.
    static func chooseLoops() {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe edge_library_of(symbol, &path, path.count) == 0, !isPossible(in: folders) else { return }
        vips_vector_set_enabled(0)
        // Some operations of libvips compile without looking; Orc then says that it cannot.
        unsafe setenv("ORC_CODE", "emulate", 1)
    }

    /// Whether one of Orc's ways is open: a file in one of the folders, mapped twice, or one writable and executable mapping.
    static func isPossible(in folders: [String]) -> Bool {
        folders.contains(where: canMapFile) || map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1)
    }

    /// Where Orc makes its files, in its order.
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
