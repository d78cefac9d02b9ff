import CCurl
import CLinux
import Glibc
package import HTTPSemantics
package import LinuxSystem

/// Loads originals over HTTP: libcurl's multi interface on one thread of its own.
///
/// Any thread may use it.
///
/// SDWebImage's `SDWebImageDownloader`. The thread drives libcurl with `curl_multi_socket_action` over an epoll of its own,
/// follows redirects by hand, and enforces what the source says: address policy, connections, timeouts and bytes.
package final class TransferEngine: TransferLoading {
    /// What an engine may use.
    package struct Configuration: Sendable {
        /// Transfers on the wire at a time, over all sources.
        package var transfers: Int
        /// Loads that may wait for a connection; more are refused as overload.
        package var waiting: Int
        /// Idle connections that are kept.
        package var idleConnections: Int
        /// Bytes of incomplete bodies at a time; who needs more is refused as overload.
        package var memory: Int
        /// The `User-Agent` field: name and version.
        package var userAgent: String
        /// The name in `Via` and `CDN-Loop`, by which a request of ours is known when it comes back to us.
        package var pseudonym: String
        /// A file of certificates to trust in place of the system's.
        package var certificates: String?
        /// Fixed addresses of names, each `HOST:PORT:ADDRESS` as libcurl's CURLOPT_RESOLVE has it.
        package var hosts: [String]
        /// Judges the addresses of sources that may not ask their own network; a seam, so that hops can be told apart in tests.
        package var refusal: @Sendable (IPAddress) -> AddressPolicy.Refusal?

        /// Creates a configuration.
        package init(
            transfers: Int = 256,
            waiting: Int = 4096,
            idleConnections: Int = 64,
            memory: Int = 512 << 20,
            userAgent: String = "Edgeprint",
            pseudonym: String = "edgeprint",
            certificates: String? = nil,
            hosts: [String] = [],
            refusal: @escaping @Sendable (IPAddress) -> AddressPolicy.Refusal? = AddressPolicy.refusal(of:)
        ) {
            self.transfers = transfers
            self.waiting = waiting
            self.idleConnections = idleConnections
            self.memory = memory
            self.userAgent = userAgent
            self.pseudonym = pseudonym
            self.certificates = certificates
            self.hosts = hosts
            self.refusal = refusal
        }
    }

    private let mailbox: TransferMailbox
    private let counters: TransferCounters
    private let time: any TimeSource

    /// Starts the transfer thread.
    ///
    /// - Throws: `Errno` when the system refuses the thread or a descriptor.
    package init(
        configuration: Configuration = Configuration(),
        time: any TimeSource = SystemTime()
    ) throws(Errno) {
        let mailbox = try TransferMailbox()
        let counters = TransferCounters()
        let poller = SharedDescriptor(owning: try checked("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) })
        self.mailbox = mailbox
        self.counters = counters
        self.time = time
        guard Self.isLibraryReady else { throw Errno(ENOMEM, "curl_global_init") }
        try SystemThread.start(name: "transfers") {
            let loop = TransferLoop(configuration, poller: poller, mailbox: mailbox, counters: counters, time: time)
            loop?.run()
            for message in mailbox.close() {
                if case .load(let ticket) = message { ticket.complete(.failure(.cancelled)) }
            }
        }
    }

    deinit {
        stop()
    }

    /// libcurl's own set-up, which may run on any thread but once (curl_global_init(3) with `threadsafe`).
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Starts a load of `request.target`, which is a URL; a file is not found.
    ///
    /// The completion is called on the transfer thread and must not block it; after `stop`, on the caller's.
    package func load(
        _ request: TransferRequest,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle {
        let mailbox = mailbox
        let ticket = LoadTicket(
            request,
            created: time.monotonic,
            onCancel: { mailbox.post(.cancel($0)) },
            completion: completion
        )
        if !mailbox.post(.load(ticket)) { ticket.complete(.failure(.cancelled)) }
        return ticket
    }

    /// The counters at this moment.
    package var statistics: TransferStatistics { counters.snapshot }

    /// Gives all loads up and ends the thread; later loads are cancelled at once.
    package func stop() {
        mailbox.post(.stop)
    }
}
