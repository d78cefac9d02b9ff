import CLinux
import Glibc
import ImagePlan
import WorkerSandbox

/// `edgeprint-worker`: runs the daemon's transform jobs one by one until the daemon closes the socket on descriptor 3.
///
/// The daemon starts it and sets its limits. It takes its namespaces while it has one thread, loads every library, locks itself
/// (`Sandbox`), and then greets the daemon with the confinement in force. It uses no network and opens only fonts and the
/// descriptors of its jobs. `--capabilities` prints what it supports instead.
@main
enum EdgeprintWorker {
    static func main() {
        // Not essential.
        _ = edge_yield_memory()
        let options = SandboxOptions(CommandLine.arguments)
        var sandbox = Sandbox(options)
        // Before a decoder's first allocation: two arenas fragment far less than one per thread.
        edge_malloc_set_arenas(2)
        // Reuse freed memory across jobs: new pages cost some percent of a job's time (Benchmarks/README.md).
        // JobSocket trims the heap when the worker is idle.
        edge_malloc_keep(64 << 20)
        let socket = JobSocket()
        VipsRuntime.setEnvironment()
        let isInquiry = CommandLine.arguments.count > 1 && CommandLine.arguments[1] == WorkerCapabilities.flag
        if options.mode != .off, !isInquiry {
            // Libraries print what a sandbox keeps from them, such as a writable cache of fonts.
            sandbox.silence()
            WarmUp.begin()
        }
        do throws(VipsError) {
            try VipsRuntime.start()
        } catch {
            exit(1)
        }
        if isInquiry {
            // The daemon reads the report from its descriptor, and logs what is printed.
            if CommandLine.arguments.count > 2 { sandbox.silence() }
            exit(CapabilityReport.write(CommandLine.arguments, options, &sandbox) ? 0 : 1)
        }
        if options.mode != .off {
            WarmUp.load()
            sandbox.lock()
            if options.isCanary { _ = WarmUp.tryCoders() }
            sandbox.finishTrials()
        }
        guard socket.greet(sandbox.posture) else { exit(1) }
        // Most of the code in memory was used by the start alone. A job that waits for the start comes first.
        var isStarting = socket.hasJobSoon
        if !isStarting { edge_unmap_unused_code() }
        while case .job(let job, let sources) = socket.next() {
            guard socket.send(JobRunner(job: job).run(descriptors: sources) { socket.hasMessage }) else { exit(1) }
            if isStarting { edge_unmap_unused_code() }
            isStarting = false
        }
    }
}
