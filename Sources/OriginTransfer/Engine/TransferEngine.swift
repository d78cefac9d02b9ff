import CCurl
import CLinux
import Glibc
package import HTTPSemantics
package import LinuxSystem

/// Loads originals over HTTP with libcurl's multi interface on a dedicated thread (SDWebImage: `SDWebImageDownloader`).
///
/// The thread drives `curl_multi_socket_action` with its own epoll, follows redirects itself, and enforces the source's address
/// policy, connections, timeouts and size limits. Any thread may use the engine.
package final class TransferEngine: TransferLoading {
    /// The settings and limits of an engine.
    package struct Configuration: Sendable {
        /// How many transfers run at a time, and in which order the others wait.
        package var scheduling: TransferScheduling
        /// Where the transfers of clients are counted.
        package var accounts = ClientAccounts()
        /// When hosts that fail are left alone.
        package var breaker: BreakerPolicy
        /// Called on the transfer thread when the breaker of a source's host has opened, or a probe has closed it; must not block.
        package var breakerChanged: @Sendable (_ source: String, _ origin: String, _ isOpen: Bool) -> Void = {
            _,
            _,
            _ in
        }
        /// Whether a source is suspended, so that its failed requests are not repeated.
        package var isSuspended: @Sendable (_ source: String) -> Bool = { _ in false }
        /// A random number from 0 to 1, for the pauses before repetitions; replaceable for tests.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// Maximum number of idle connections.
        package var idleConnections: Int
        /// Maximum total bytes of bodies in memory, until their last user has released them; loads that need more fail with
        /// `.overloaded`.
        package var memory: Int
        /// A folder for bodies over `memoryBody` bytes or of unknown length, and for those that will be stored
        /// (`TransferOptions.isStored`) while it keeps up; `nil` keeps all in memory.
        package var folder: String?
        /// Maximum bytes of a body in memory if there is a folder.
        package var memoryBody = 8 << 20
        /// Maximum total bytes of bodies in the folder, until their last user has released them; loads that need more fail with
        /// `.overloaded`.
        package var disk = 4 << 30
        /// The accounts of another engine that also bound this one's bodies; `nil` for own ones with the limits `memory` and `disk`.
        package var ledgers: BodyLedgers?
        /// Closes other descriptors when there is none for a connection or a body; `nil` if there are no such descriptors.
        package var relief: DescriptorRelief?
        /// The value of `User-Agent`: name and version.
        package var userAgent: String
        /// The daemon's name in `Via` and `CDN-Loop`, by which it detects its own requests; empty for none.
        package var pseudonym: String
        /// A file of trusted certificates that replaces the system's.
        package var certificates: String?
        /// Fixed addresses of host names: `HOST:PORT:ADDRESS` as for `CURLOPT_RESOLVE`.
        package var hosts: [String]
        /// The address policy for sources without access to private networks; replaceable for tests.
        package var refusal: @Sendable (IPAddress) -> AddressPolicy.Refusal?

        /// Creates a configuration.
        package init(
            transfers: Int = 256,
            waiting: Int = 4096,
            breaker: BreakerPolicy = BreakerPolicy(),
            idleConnections: Int = 64,
            memory: Int = 512 << 20,
            userAgent: String = "Edgeprint",
            pseudonym: String = "edgeprint",
            certificates: String? = nil,
            hosts: [String] = [],
            refusal: @escaping @Sendable (IPAddress) -> AddressPolicy.Refusal? = AddressPolicy.refusal(of:)
        ) {
            scheduling = TransferScheduling(active: transfers, waiting: waiting)
            self.breaker = breaker
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
    /// The accounts of bodies, whose limits can be changed.
    package let ledgers: BodyLedgers

    /// Starts the transfer thread.
    ///
    /// - Throws: `Errno` if the system cannot create the thread or a descriptor.
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
        let ledgers = configuration.ledgers ?? BodyLedgers(memory: configuration.memory, disk: configuration.disk)
        self.ledgers = ledgers
        guard Self.isLibraryReady else { throw Errno(ENOMEM, "curl_global_init") }
        try SystemThread.start(name: "transfers") {
            let loop = TransferLoop(
                configuration,
                poller: poller,
                mailbox: mailbox,
                counters: counters,
                ledgers: ledgers,
                time: time
            )
            loop?.run()
            for message in mailbox.close() {
                if case .load(let ticket) = message { ticket.complete(.failure(.cancelled)) }
            }
        }
    }

    deinit {
        stop()
    }

    /// libcurl's global initialisation, which must run once; any thread may run it (curl_global_init(3), `threadsafe`).
    static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    package func canLoad(_ target: OriginTarget) -> Bool {
        if case .url = target { true } else { false }
    }

    /// Starts a load of `request.target`, which must be a URL; a file fails with `.notFound`.
    ///
    /// The completion is called on the transfer thread and must not block it; after `stop`, it is called on the caller's thread.
    package func load(
        _ request: TransferRequest,
        arrival: (@Sendable (TransferResponse) -> Void)?,
        completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
    ) -> any LoadHandle {
        let mailbox = mailbox
        let ticket = LoadTicket(
            request,
            created: time.monotonic,
            onCancel: { mailbox.post(.cancel($0)) },
            onChange: { mailbox.post(.change($0)) },
            arrival: arrival,
            completion: completion
        )
        if !mailbox.post(.load(ticket)) { ticket.complete(.failure(.cancelled)) }
        return ticket
    }

    /// Frees what is only kept for later requests, except open connections; for when the daemon is idle.
    package func trim() { mailbox.post(.trim) }

    /// A snapshot of the counters.
    package var statistics: TransferStatistics {
        var statistics = counters.snapshot
        statistics.bytesInFlight = ledgers.memory.used + ledgers.disk.used
        return statistics
    }

    /// The circuit breakers that are not closed, sorted.
    package var openBreakers: [OpenBreaker] {
        let now = time.monotonic
        return counters.snapshot.pauses.sorted { ($0.source, $0.origin) < ($1.source, $1.origin) }.map { pause in
            OpenBreaker(
                source: pause.source,
                origin: pause.origin,
                state: pause.until > now ? .open : .halfOpen,
                secondsLeft: pause.until > now ? CircuitBreakers<String>.seconds(pause.until - now) : 0
            )
        }
    }

    /// Applies other settings to waiting and later loads.
    package func adjust(scheduling: TransferScheduling, breaker: BreakerPolicy) {
        mailbox.post(.adjust(scheduling, breaker))
    }

    /// Ends the waiting loads of a source with `.suspended`; those in progress finish.
    package func endWaiting(of source: String) {
        mailbox.post(.suspend(source))
    }

    /// Closes the circuit breakers of a source; without one, of all.
    package func closeBreakers(of source: String? = nil) {
        mailbox.post(.closeBreakers(source))
    }

    /// Cancels all loads and ends the thread; later loads are cancelled immediately.
    package func stop() {
        mailbox.post(.stop)
    }
}
