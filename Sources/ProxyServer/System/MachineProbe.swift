import CLinux
import Foundation
import Glibc
import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

/// Queries the machine that this process runs on.
struct MachineProbe: SystemProbe {
    func limit(_ resource: ProcessResource) -> ResourceLimit {
        let number =
            switch resource {
            case .files: RLIMIT_NOFILE
            case .core: RLIMIT_CORE
            case .addressSpace: RLIMIT_AS
            case .processorTime: RLIMIT_CPU
            case .fileSize: RLIMIT_FSIZE
            }
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(number.rawValue), &limit) == 0 else { return ResourceLimit() }
        func value(_ raw: rlim_t) -> Int? { raw == rlim_t.max ? nil : Int(clamping: raw) }
        return ResourceLimit(soft: value(limit.rlim_cur), hard: value(limit.rlim_max))
    }

    var kernelRelease: String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "" }
        return unsafe withUnsafeBytes(of: &name.release) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    var ioUringError: CInt { edge_io_uring_error() }

    var sealsMemoryFiles: Bool {
        let file = unsafe edge_memfd_create("doctor")
        guard file >= 0 else { return false }
        defer { close(file) }
        return edge_memfd_seal(file) == 0 && edge_memfd_is_sealed(file) == 1
    }

    var wallSeconds: Int64 { SystemTime().wallSeconds }

    var isClockSynchronised: Bool? {
        let answer = edge_clock_is_synchronised()
        return answer < 0 ? nil : answer == 1
    }

    var user: UInt32 { geteuid() }

    var libraries: LinkedLibraries { .current }

    var workerPath: String? { try? WorkerPool.siblingPath() }

    func worker(memory: Int, sandbox: SandboxMode) throws(WorkerInquiry.Failure) -> WorkerCapabilities? {
        var configuration = WorkerPool.Configuration(workers: 1)
        configuration.addressSpace = Int64(memory)
        configuration.sandbox = sandbox
        let inquiry: WorkerInquiry
        do throws(Errno) { inquiry = try WorkerInquiry(configuration) } catch { throw .system(error) }
        let text = try inquiry.run()
        return try? JSONDecoder().decode(WorkerCapabilities.self, from: Data(text))
    }
}
