import CCurl
import CLinux
import Glibc
import LinuxSystem

/// The loop of the transfer thread: an epoll over libcurl's sockets and the mailbox; confined to that thread.
@safe
final class TransferLoop {
    private static let eventsPerTurn = 128
    private static let idleHandles = 32

    let owner = ThreadOwner()
    let configuration: TransferEngine.Configuration
    let mailbox: TransferMailbox
    let counters: TransferCounters
    let time: any TimeSource
    let poller: SharedDescriptor
    let multi: UnsafeMutableRawPointer
    let ledgers: BodyLedgers
    let folder: BodyFolder?
    let watch = DeadlineWatch()
    var lanes: ConnectionLanes<Transfer>
    /// By source, scheme, host and port.
    var breakers: CircuitBreakers<String>
    /// All unfinished loads, including waiting ones.
    var transfers: [ObjectIdentifier: Transfer] = [:]
    /// The descriptors in the epoll that belong to libcurl.
    var watched: Set<CInt> = []
    /// Monotonic nanoseconds at which libcurl's timer expires.
    var curlDeadline: Int64?
    var isStopping = false
    private var idle: [EasyHandle] = []

    /// Creates the multi handle; `nil` if out of memory.
    init?(
        _ configuration: TransferEngine.Configuration,
        poller: SharedDescriptor,
        mailbox: TransferMailbox,
        counters: TransferCounters,
        ledgers: BodyLedgers,
        time: any TimeSource
    ) {
        guard let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        self.configuration = configuration
        self.poller = poller
        self.mailbox = mailbox
        self.counters = counters
        self.time = time
        self.ledgers = ledgers
        folder = configuration.folder.map { BodyFolder(path: $0) }
        lanes = ConnectionLanes(configuration.scheduling, table: configuration.accounts)
        breakers = CircuitBreakers(configuration.breaker)
        configureMulti()
        watchMailbox()
    }

    deinit {
        for handle in idle { handle.dispose() }
        unsafe curl_multi_cleanup(multi)
    }

    /// Runs until a stop message arrives.
    func run() {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: Self.eventsPerTurn)
        while !isStopping {
            let timeout = waitMilliseconds
            let count = unsafe events.withUnsafeMutableBufferPointer { buffer -> CInt in
                // The C library of Debian 13 declares that it takes no null pointer.
                guard let first = buffer.baseAddress else { return 0 }
                return unsafe epoll_wait(poller.number, first, CInt(buffer.count), timeout)
            }
            for index in 0..<Int(max(0, count)) { unsafe handle(events[index]) }
            callDue()
            sweep()
            collect()
            // What was cancelled meanwhile need not start.
            if mailbox.hasNews { readMailbox() }
            startWaiting()
            publishGauges()
        }
        for transfer in Array(transfers.values) { end(transfer, .failure(.cancelled)) }
    }

    /// Returns an idle or new handle; `nil` if out of memory.
    func takeHandle() -> EasyHandle? { idle.popLast() ?? EasyHandle() }

    /// Disposes of all idle handles.
    private func disposeOfIdle() {
        for handle in idle { handle.dispose() }
        idle = []
    }

    /// Returns a handle that was removed from the multi handle to the idle pool.
    func giveBack(_ handle: EasyHandle) {
        guard idle.count < Self.idleHandles else { return handle.dispose() }
        handle.reset()
        idle.append(handle)
    }

    private var waitMilliseconds: CInt {
        let next = min(curlDeadline ?? .max, watch.due)
        guard next != .max else { return -1 }
        let rest = next - time.monotonic
        return rest <= 0 ? 0 : CInt(min((rest + 999_999) / 1_000_000, 60_000))
    }

    private func handle(_ event: epoll_event) {
        let descriptor = unsafe event.data.fd
        guard descriptor != mailbox.event.number else { return readMailbox() }
        var flags: CInt = 0
        let events = unsafe event.events
        if events & edge_EPOLLIN != 0 { flags |= CURL_CSELECT_IN }
        if events & edge_EPOLLOUT != 0 { flags |= CURL_CSELECT_OUT }
        if events & (edge_EPOLLERR | edge_EPOLLHUP) != 0 { flags |= CURL_CSELECT_ERR }
        // libcurl ignores a descriptor that it has closed.
        act(descriptor, flags)
    }

    private func readMailbox() {
        for message in mailbox.take() {
            switch message {
            case .load(let ticket): admit(ticket)
            case .cancel(let ticket):
                if let transfer = transfers[ObjectIdentifier(ticket)] { end(transfer, .failure(.cancelled)) }
            case .change(let ticket):
                if let transfer = transfers[ObjectIdentifier(ticket)] { waitersChanged(transfer) }
            case .resume(let ticket): transfers[ObjectIdentifier(ticket)]?.resume()
            case .adjust(let scheduling, let policy): adjust(scheduling, policy)
            case .suspend(let source): suspend(source)
            case .closeBreakers(let source): closeBreakers(source)
            case .trim: disposeOfIdle()
            case .stop: isStopping = true
            }
        }
    }

    private func callDue() {
        guard let due = curlDeadline, due <= time.monotonic else { return }
        curlDeadline = nil
        act(-1, 0)  // CURL_SOCKET_TIMEOUT
    }

    private func act(_ descriptor: CInt, _ flags: CInt) {
        var running: CInt = 0
        unsafe curl_multi_socket_action(multi, descriptor, flags, &running)
    }

    /// Ends the transfers whose deadlines have passed.
    private func sweep() {
        let now = time.monotonic
        guard watch.due <= now else { return }
        for transfer in Array(transfers.values) where transfer.deadline <= now {
            // A failure before may have opened its host's breaker.
            guard transfers[ObjectIdentifier(transfer.ticket)] != nil else { continue }
            if transfer.phase == .queue { counters.update { $0.expired += 1 } }
            conclude(transfer, transfer.expire(), code: CURLE_OPERATION_TIMEDOUT)
        }
        for transfer in Array(transfers.values) where transfer.announcementDue <= now {
            if let error = transfer.announceLate() {
                conclude(transfer, .finished(.failure(error)), code: CURLE_WRITE_ERROR)
            }
        }
        for transfer in Array(transfers.values) where transfer.repeatDue <= now {
            transfer.repeatDue = .max
            enqueue(transfer)
        }
        watch.checked(
            at: now,
            next: transfers.values.reduce(.max) { min($0, $1.deadline, $1.announcementDue, $1.repeatDue) }
        )
    }

    private func publishGauges() {
        counters.update { setGauges(&$0) }
    }

    func setGauges(_ statistics: inout TransferStatistics) {
        statistics.active = lanes.active
        statistics.waiting = lanes.waiting
        statistics.waitingUrgent = lanes.waitingUrgent
    }
}

/// The time of the next check of the transfers' deadlines; confined to the transfer thread.
///
/// Tracks the earliest deadline requested since the last check. A deadline that has moved costs an unnecessary check, which is
/// cheaper than an ordered queue.
final class DeadlineWatch {
    /// Minimum nanoseconds between two checks.
    private static let interval: Int64 = 5_000_000

    /// Monotonic nanoseconds of the next check; `Int64.max` if none is due.
    private(set) var due = Int64.max

    /// Requests a check no later than a deadline.
    func need(by deadline: Int64) {
        due = min(due, deadline)
    }

    /// Records a check.
    ///
    /// - Parameter next: the earliest remaining deadline.
    func checked(at now: Int64, next: Int64) {
        due = next == .max ? .max : max(next, now + Self.interval)
    }
}
