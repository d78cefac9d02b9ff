import CLinux
import Glibc
package import LinuxSystem

/// Loads originals of `file:` sources: regular files below a root that neither `..` nor a symbolic link leaves.
///
/// Files are copied into sealed memory while they are hashed, on threads of the loader's own, so that digest and bytes
/// agree whatever happens to the file. Any thread may use it.
package final class FileLoader: OriginLoading {
    /// What a loader may use.
    package struct Configuration: Sendable {
        /// Threads that read.
        package var threads: Int
        /// Loads that may wait for a thread; more are refused as overload.
        package var waiting: Int

        /// Creates a configuration.
        package init(threads: Int = 2, waiting: Int = 4096) {
            self.threads = threads
            self.waiting = waiting
        }
    }

    /// Seconds after which a file is looked at again.
    package static let vouchedLifetime: Int64 = 10

    private let lane: FileLane
    private let time: any TimeSource

    /// Starts the reading threads.
    ///
    /// - Throws: `Errno` when the system refuses a thread or a descriptor.
    package init(
        configuration: Configuration = Configuration(),
        time: any TimeSource = SystemTime()
    ) throws(Errno) {
        let lane = try FileLane(limit: configuration.waiting)
        self.lane = lane
        self.time = time
        let digests = FileDigests()
        for _ in 0..<max(1, configuration.threads) {
            try SystemThread.start(name: "file-loader") {
                while let next = lane.take() {
                    switch next {
                    case .read(let ticket): ticket.complete(FileReading(ticket, time: time, digests: digests).run())
                    case .refuse(let ticket): ticket.complete(.failure(.overloaded("too many loads wait for files")))
                    }
                }
            }
        }
    }

    deinit {
        stop()
    }

    /// Starts a load of `fetch.target`, which is a file; a URL is not found.
    ///
    /// The completion is called on a reading thread; after `stop`, on the caller's.
    package func load(
        _ fetch: OriginFetch,
        completion: @escaping @Sendable (Result<OriginResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        // A cancelled load ends when its thread looks at it next, at most 256 KiB later.
        let ticket = LoadTicket(fetch, created: time.monotonic, onCancel: { _ in }, completion: completion)
        if !lane.post(ticket) { ticket.complete(.failure(.cancelled)) }
        return ticket
    }

    /// Gives waiting loads up and ends the threads; later loads are cancelled at once.
    package func stop() {
        for ticket in lane.close() { ticket.complete(.failure(.cancelled)) }
    }
}
