import CLinux
import Glibc
package import LinuxSystem

/// Loads originals of `file:` sources: regular files below a root, which neither `..` nor symbolic links can escape.
///
/// Dedicated threads hash each file while they copy it into sealed memory, so a later write cannot make digest and bytes differ.
/// Large files without recent writes are hashed but not copied. Any thread.
package final class FileLoader: TransferLoading {
    /// The resources of a loader.
    package struct Configuration: Sendable {
        /// Number of reading threads.
        package var threads: Int
        /// Maximum number of loads that wait for a thread; further loads fail with `.overloaded`.
        package var waiting: Int
        /// Selects the files over the size limit that are reported as too large rather than missing; `nil` for all.
        package var recognition: Recognition?
        /// The accounts of the copies; `nil` if they are not counted.
        package var ledgers: BodyLedgers?
        /// A folder for copies for which half of the memory limit has no room; `nil` keeps all in memory.
        package var folder: String?

        /// Creates a configuration.
        package init(threads: Int = 2, waiting: Int = 4096, recognition: Recognition? = nil) {
            self.recognition = recognition
            self.threads = threads
            self.waiting = waiting
        }
    }

    /// Seconds after its last modification during which a file may still be being written.
    package static let settlingTime: Int64 = 10

    /// Decides from a file's first bytes whether its existence may be revealed if it is over the size limit.
    package struct Recognition: Sendable {
        /// Number of bytes that are examined.
        package var prefix: Int
        /// Decides by the first bytes and the length of the whole file.
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
    /// - Throws: `Errno` if the system cannot create a thread or a descriptor.
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
                            recognition: configuration.recognition,
                            ledgers: configuration.ledgers,
                            folder: configuration.folder
                        )
                        ticket.complete(reading.run())
                    case .refuse(let ticket):
                        ticket.complete(.failure(.overloaded("too many loads are waiting for files")))
                    }
                }
            }
        }
    }

    deinit {
        stop()
    }

    package func canLoad(_ target: OriginTarget) -> Bool {
        if case .file = target { true } else { false }
    }

    /// Starts a load of `request.target`, which must be a file; a URL fails with `.notFound`.
    ///
    /// The completion is called on a reading thread, or on the caller's thread after `stop`.
    package func load(
        _ request: TransferRequest,
        arrival: (@Sendable (TransferResponse) -> Void)?,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle {
        // The reading thread checks for cancellation before each 256 KiB.
        let ticket = LoadTicket(request, created: time.monotonic, onCancel: { _ in }, completion: completion)
        if !lane.post(ticket) { ticket.complete(.failure(.cancelled)) }
        return ticket
    }

    /// Cancels waiting loads and ends the threads; later loads are cancelled immediately.
    package func stop() {
        for ticket in lane.close() { ticket.complete(.failure(.cancelled)) }
    }
}
