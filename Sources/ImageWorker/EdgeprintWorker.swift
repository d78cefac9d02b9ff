import CLinux
import Glibc

/// `edgeprint-worker`: runs the daemon's transform jobs one by one until the daemon closes the socket on descriptor 3.
///
/// The daemon starts it and sets its limits. It has one thread, uses no network and opens only the descriptors of its jobs.
/// `--capabilities` prints what it supports instead.
@main
enum EdgeprintWorker {
    static func main() {
        // Before a decoder's first allocation: two arenas fragment far less than one per thread.
        edge_malloc_set_arenas(2)
        // Reuse freed memory across jobs: new pages cost some percent of a job's time (Benchmarks/README.md).
        // JobSocket trims the heap when the worker is idle.
        edge_malloc_keep(64 << 20)
        let socket = JobSocket()
        do throws(VipsError) {
            try VipsRuntime.start()
        } catch {
            exit(1)
        }
        if CommandLine.arguments.count > 1, CommandLine.arguments[1] == CapabilityReport.flag {
            exit(CapabilityReport.write(CommandLine.arguments) ? 0 : 1)
        }
        guard socket.greet() else { exit(1) }
        while case .job(let job, let sources) = socket.next() {
            guard socket.send(JobRunner(job: job).run(descriptors: sources)) else { exit(1) }
        }
    }
}
