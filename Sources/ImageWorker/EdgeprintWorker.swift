import CLinux
import Glibc

/// `edgeprint-worker`: makes pictures for the daemon, job by job, until the daemon closes the socket on descriptor 3.
///
/// Started by the daemon only, which sets its limits, and by whoever asks for `--capabilities`. One thread; no network; opens no file but what comes with a job.
@main
enum EdgeprintWorker {
    static func main() {
        // Before the first allocation of a decoder: two arenas fragment far less than one a thread (architecture.md).
        edge_malloc_set_arenas(2)
        // The next picture needs what the last one gave back: new pages cost some hundredths of its time
        // (Benchmarks/README.md). JobSocket trims when none comes.
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
