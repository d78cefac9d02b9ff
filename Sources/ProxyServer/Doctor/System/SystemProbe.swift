import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

/// What the checks ask of the machine: a seam, so that tests recount machines that are not there.
///
/// Everything only looks, but for `bindError`, which holds an address for an instant. Blocks.
protocol SystemProbe: Sendable {
    /// The soft and the hard limit of this process.
    func limit(_ resource: ProcessResource) -> ResourceLimit
    /// A small file's text; `nil` where it cannot be read.
    func text(_ path: String) -> String?
    /// What has a path, symbolic links followed; `nil` where nothing has.
    func status(_ path: String) -> FileStatus?
    /// Why this process cannot do something with a path; `nil` where it can.
    func accessError(_ path: String, _ access: FileAccess) -> Errno?
    /// The file system that a path is on; `nil` where that cannot be told.
    func fileSystem(_ path: String) -> FileSystemStatus?
    /// The path without symbolic links; `nil` where nothing has it.
    func realPath(_ path: String) -> String?
    /// What a folder is that a cache is to have.
    func cacheFolder(_ path: String) -> DiskFolderState
    /// Why an address cannot be bound; `nil` where it can, and for one whose port is left to chance.
    func bindError(_ address: ListenAddress) -> Errno?
    /// The kernel's release, such as `6.1.0-18-amd64`.
    var kernelRelease: String { get }
    /// The number of Landlock's ABI; `nil` where it is not there.
    var landlockVersion: Int? { get }
    /// The error number of an io_uring that is asked for in vain: `ENOSYS`, `EPERM`, or another where it could be had.
    var ioUringError: CInt { get }
    /// Whether memory files can be sealed.
    var sealsMemoryFiles: Bool { get }
    /// Seconds since 1970.
    var wallSeconds: Int64 { get }
    /// Whether the clock is kept by somebody; `nil` where the kernel does not say.
    var isClockSynchronised: Bool? { get }
    /// The effective user's number.
    var user: UInt32 { get }
    /// The C libraries of this process.
    var libraries: LinkedLibraries { get }
    /// Where the worker should lie; `nil` where this process does not know its own path.
    var workerPath: String? { get }
    /// Starts a worker with so many bytes of address space, and asks what it can do.
    func worker(memory: Int) throws(WorkerInquiry.Failure) -> WorkerCapabilities?
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

/// What stat(2) says.
struct FileStatus: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case file, folder, socket, other
    }

    var kind: Kind
    /// The lower twelve bits.
    var mode: UInt32
    var owner: UInt32
}

/// A way of using a path.
enum FileAccess: Sendable, Hashable {
    case read
    /// For a folder: to make files in it.
    case write
    /// For a folder: to reach what is in it.
    case execute
}

/// What statfs(2) says.
struct FileSystemStatus: Sendable, Hashable {
    /// `f_type`.
    var type: Int64
    /// Bytes that this user may still use.
    var freeBytes: Int
    var totalBytes: Int
    /// Files that may still be made; `nil` where the file system does not count.
    var freeFiles: Int?
    var isReadOnly: Bool
}
