import HTTPCache
import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

/// The queries of the checks about the machine, so that tests can simulate other machines.
///
/// All queries are read-only, except that `bindError` briefly binds an address. They block.
protocol SystemProbe: Sendable {
    /// The soft and the hard limit of this process.
    func limit(_ resource: ProcessResource) -> ResourceLimit
    /// The text of a small file, or `nil` if it cannot be read.
    func text(_ path: String) -> String?
    /// The status of a path, following symbolic links, or `nil` if it does not exist.
    func status(_ path: String) -> FileStatus?
    /// The error of an access to a path, or `nil` if it is permitted.
    func accessError(_ path: String, _ access: FileAccess) -> Errno?
    /// The file system of a path, or `nil` if unknown.
    func fileSystem(_ path: String) -> FileSystemStatus?
    /// The path with symbolic links resolved, or `nil` if it does not exist.
    func realPath(_ path: String) -> String?
    /// The state of a cache folder.
    func cacheFolder(_ path: String) -> DiskFolderState
    /// The error of binding an address, or `nil` if it can be bound or its port is 0.
    func bindError(_ address: ListenAddress) -> Errno?
    /// The kernel's release, such as `6.1.0-18-amd64`.
    var kernelRelease: String { get }
    /// The error of an invalid io_uring_setup call: `ENOSYS`, `EPERM`, or another one if io_uring is available.
    var ioUringError: CInt { get }
    /// Whether memory files can be sealed.
    var sealsMemoryFiles: Bool { get }
    /// Seconds since 1970.
    var wallSeconds: Int64 { get }
    /// Whether the clock is synchronised, or `nil` if unknown.
    var isClockSynchronised: Bool? { get }
    /// The effective user id.
    var user: UInt32 { get }
    /// The C libraries of this process.
    var libraries: LinkedLibraries { get }
    /// The expected path of the worker, or `nil` if this process cannot determine its own path.
    var workerPath: String? { get }
    /// Starts a worker with an address space limit in bytes and a confinement, and queries its capabilities.
    func worker(memory: Int, sandbox: SandboxMode) throws(WorkerInquiry.Failure) -> WorkerCapabilities?
}

/// A limit of setrlimit(2).
enum ProcessResource: Sendable, Hashable, CaseIterable {
    case files, core, addressSpace, processorTime, fileSize
}

/// The two values of a limit; `nil` for none.
struct ResourceLimit: Sendable, Hashable {
    var soft: Int?
    var hard: Int?
}

/// The result of stat(2).
struct FileStatus: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case file, folder, socket, other
    }

    var kind: Kind
    /// The permission bits (the lower twelve).
    var mode: UInt32
}

/// An access to a path.
enum FileAccess: Sendable, Hashable {
    case read
    /// For a folder: creating files in it.
    case write
    /// For a folder: accessing files in it.
    case execute
}

/// The result of statfs(2).
struct FileSystemStatus: Sendable, Hashable {
    /// `f_type`.
    var type: Int64
    /// The bytes available to this user.
    var freeBytes: Int
    /// The free inodes, or `nil` if the file system has no limit.
    var freeFiles: Int?
    var isReadOnly: Bool
}
