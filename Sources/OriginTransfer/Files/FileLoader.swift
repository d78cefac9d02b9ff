import CLinux
import Glibc
package import LinuxSystem

/// Loads originals of `file:` sources: regular files below a root that neither `..` nor a symbolic link leaves.
///
/// Files are copied into sealed memory while they are hashed, on threads of the loader's own, so that digest and bytes
/// agree whatever happens to the file. Any thread may use it.
package final class FileLoader: TransferLoading {
    /// What a loader may use.
    package struct Configuration: Sendable {
        /// Threads that read.
        package var threads: Int
        /// Loads that may wait for a thread; more are refused as overload.
        package var waiting: Int
        /// Files over the limit that may be told from missing ones; `nil` for all.
        package var recognition: Recognition?

        /// Creates a configuration.
        package init(threads: Int = 2, waiting: Int = 4096, recognition: Recognition? = nil) {
            self.recognition = recognition
            self.threads = threads
            self.waiting = waiting
        }
    }

    /// Seconds after its last change for which a file may still be written to.
    package static let settlingTime: Int64 = 10

    /// Tells from a file's first bytes whether its existence may be told when it is over the limit.
    package struct Recognition: Sendable {
        /// Bytes that are looked at.
        package var prefix: Int
        /// Judges the first bytes and the length of the whole file.
        package var isKnown: @Sendable (_ bytes: [UInt8], _ length: Int) -> Bool

        /// Creates a recognition.
        package init(prefix: Int, isKnown: @escaping @Sendable (_ bytes: [UInt8], _ length: Int) -> Bool) {
            self.prefix = prefix
            self.isKnown = isKnown
        }
    }

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
                    case .read(let ticket):
                        let reading = FileReading(
                            ticket,
                            time: time,
                            digests: digests,
                            recognition: configuration.recognition
                        )
                        ticket.complete(reading.run())
                    case .refuse(let ticket): ticket.complete(.failure(.overloaded("too many loads wait for files")))
                    }
                }
            }
        }
    }

    deinit {
        stop()
    }

    /// Starts a load of `request.target`, which is a file; a URL is not found.
    ///
    /// The completion is called on a reading thread; after `stop`, on the caller's.
    package func load(
        _ request: TransferRequest,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle {
        // A cancelled load ends when its thread looks at it next, at most 256 KiB later.
        let ticket = LoadTicket(request, created: time.monotonic, onCancel: { _ in }, completion: completion)
        if !lane.post(ticket) { ticket.complete(.failure(.cancelled)) }
        return ticket
    }

    /// Gives waiting loads up and ends the threads; later loads are cancelled at once.
    package func stop() {
        for ticket in lane.close() { ticket.complete(.failure(.cancelled)) }
    }
}
