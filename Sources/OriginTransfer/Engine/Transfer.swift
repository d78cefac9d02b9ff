import CCurl
import HTTPSemantics
import LinuxSystem

/// A running load, including its redirects; confined to the transfer thread.
final class Transfer {
    /// What the transfer waits for; each phase has its own deadline, and the raw value is used in errors.
    enum Phase: String {
        case queue = "no connection to the origin became available in time"
        case connect = "connect"
        case firstByte = "first byte"
        case interim = "response after an interim one"
        case body = "stalled body"
    }

    /// How a request ended.
    enum Conclusion {
        case finished(Result<TransferResponse, TransferError>)
        case redirected(OriginURL)
    }

    /// Maximum bytes of a discarded body that are read so that its connection can be reused.
    static let maximumDiscarded = 65_536

    let ticket: LoadTicket
    let configuration: TransferEngine.Configuration
    /// The accounts of bodies, in memory and in the configuration's folder.
    let ledgers: BodyLedgers
    /// The configuration's folder, shared by all transfers.
    let folder: BodyFolder?
    let watch: DeadlineWatch
    let time: any TimeSource
    let mailbox: TransferMailbox
    var url: OriginURL
    /// The most urgent priority of the clients that wait, as of the last look.
    var priority: RequestPriority
    /// The client in whose turn the current request started, which is charged for it.
    var payer: String?

    /// Whether the source's fields are sent: false once a redirect has left the first URL's origin.
    var isTrusted = true
    /// Whether the current URL may not come from the configuration.
    var isForeign: Bool { options.isForeign || !isTrusted }
    var redirects = 0
    /// The heads of the redirects followed.
    var hops: [TransferHead] = []
    /// What has been tried so far.
    var attempts: TransferAttempts
    /// Monotonic nanoseconds at which the request is sent again; `Int64.max` if it is not waiting for that.
    var repeatDue = Int64.max
    /// The response whose rest is being requested.
    var resumption: TransferResumption?
    /// The length of a body that has been resumed.
    var wholeLength: Int?
    /// The number of accepted rests.
    var resumptions = 0
    /// Bytes of the body that earlier requests have received.
    var countedBytes = 0
    /// Whether the request probes a host whose breaker is half-open.
    var isProbe = false
    var easy: EasyHandle?
    /// Monotonic nanoseconds at which the current request got its connection.
    var started: Int64 = 0
    /// Lists that libcurl reads while the request runs.
    var lists: [HeaderList] = []
    var head: ResponseHead
    /// The received body: of a raw response as long as it is short, otherwise in the sink.
    var content: [UInt8] = []
    var sink: BodySink?
    /// The sink's file once the response has been announced.
    var growing: GrowingFile?
    /// What `content` is charged to; the sink has a charge of its own, which its file keeps.
    let contentCharge: MemoryCharge
    /// Whether the body is only passed on to its readers: it is too long to be kept, or endless.
    var isPassedOn = false
    /// Whether the body is an event stream, which may pause for any time.
    var isEndless = false
    /// Whether the content of a failure is kept in memory, because another request may replace the response.
    var isHeld = false
    /// Whether libcurl waits until the readers have caught up, or the loop has read its mailbox.
    var isPaused = false
    /// Bytes received since the request began or was last resumed.
    var receivedAtOnce = 0
    /// The number of bytes at which the inspection examines the body next; `nil` once it has accepted it.
    var nextInspection: Int?
    /// The length of the body as it is received; `nil` if it is unknown, as for content that libcurl decodes.
    var bodyLength: Int?
    /// Monotonic nanoseconds at which the body is announced if it is still arriving.
    var announcementDue = Int64.max
    /// Monotonic nanoseconds when the head was received.
    var headTime: Int64 = 0
    var discarded = 0
    /// A callback's failure; it takes precedence over libcurl's error code.
    var failure: TransferError?
    var refusal: AddressPolicy.Refusal?
    var hasSocket = false
    /// Whether there was no descriptor for a socket.
    var isOutOfDescriptors = false
    var requestTime: Int64 = 0
    var responseTime: Int64 = 0
    var phase = Phase.queue
    var phaseDeadline = Int64.max
    let totalDeadline: Int64

    init(
        _ ticket: LoadTicket,
        url: OriginURL,
        configuration: TransferEngine.Configuration,
        ledgers: BodyLedgers,
        folder: BodyFolder?,
        watch: DeadlineWatch,
        time: any TimeSource,
        mailbox: TransferMailbox
    ) {
        self.mailbox = mailbox
        nextInspection = ticket.request.inspection?.first
        self.ticket = ticket
        priority = ticket.request.priority
        self.url = url
        attempts = TransferAttempts(urls: [url] + ticket.request.mirrors)
        self.configuration = configuration
        self.ledgers = ledgers
        self.folder = folder
        contentCharge = MemoryCharge(to: ledgers.memory)
        self.watch = watch
        self.time = time
        head = ResponseHead()
        totalDeadline = ticket.created + Self.nanoseconds(ticket.request.options.timeouts.total)
    }

    var options: TransferOptions { ticket.request.options }
    /// The clients in whose turns it may start; those that wait for redirects and repetitions may be others.
    var turns: [Claim] {
        ticket.request.claims.turns(else: Claim(ticket.request.account, ticket.request.priority))
    }
    /// Whether earlier requests of the load have been sent, so that it does not wait as a new one.
    var isContinued: Bool { redirects > 0 || !attempts.isFirst || resumption != nil }
    var isRaw: Bool { ticket.request.exchange != nil }
    var lane: ConnectionLanes<Transfer>.Key {
        ConnectionLanes.Key(source: options.source, origin: url.origin, isForeign: options.isForeign)
    }

    var transferHead: TransferHead {
        TransferHead(
            status: head.status,
            fields: head.lines,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }

    /// Monotonic nanoseconds at which the load fails.
    var deadline: Int64 { isPassedOn ? phaseDeadline : min(phaseDeadline, totalDeadline) }

    /// Enters a phase with a maximum duration.
    func enter(_ phase: Phase, milliseconds: Int) {
        self.phase = phase
        phaseDeadline = time.monotonic + Self.nanoseconds(milliseconds)
        watch.need(by: deadline)
    }

    /// Prepares the load's next request, to the target of a redirect.
    func follow(_ target: OriginURL) {
        hops.append(transferHead)
        isTrusted = isTrusted && target.hasSameOrigin(as: url)
        redirects += 1
        url = target
        dropBody()
        resetRequest()
    }

    /// Resets what belongs to one request, before the next one.
    func resetRequest() {
        head = ResponseHead()
        discarded = 0
        failure = nil
        refusal = nil
        hasSocket = false
        isOutOfDescriptors = false
        isHeld = false
        isPaused = false
        receivedAtOnce = 0
        phase = .queue
        phaseDeadline = isPassedOn ? time.monotonic + Self.nanoseconds(options.timeouts.total) : .max
    }

    private static func nanoseconds(_ milliseconds: Int) -> Int64 {
        Int64(max(1, min(milliseconds, 86_400_000))) * 1_000_000
    }
}
