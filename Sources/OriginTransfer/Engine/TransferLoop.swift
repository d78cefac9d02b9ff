import CCurl
import CLinux
import Glibc
import LinuxSystem

/// The transfer thread: an epoll over libcurl's sockets and the mailbox.
///
/// Everything in it is confined to that thread.
@safe
final class TransferLoop {
    private static let eventsPerTurn = 128
    private static let idleHandles = 32

    let configuration: TransferEngine.Configuration
    let mailbox: TransferMailbox
    let counters: TransferCounters
    let time: any TimeSource
    let poller: SharedDescriptor
    let multi: UnsafeMutableRawPointer
    let budget: TransferBudget
    let watch = DeadlineWatch()
    var lanes: ConnectionLanes<Transfer>
    /// All loads that have not ended, waiting ones included.
    var transfers: [ObjectIdentifier: Transfer] = [:]
    /// Descriptors in the epoll for libcurl.
    var watched: Set<CInt> = []
    /// Monotonic nanoseconds at which libcurl wants to be called.
    var curlDeadline: Int64?
    var isStopping = false
    private var idle: [EasyHandle] = []

    /// Sets libcurl up; `nil` without memory.
    init?(
        _ configuration: TransferEngine.Configuration,
        poller: SharedDescriptor,
        mailbox: TransferMailbox,
        counters: TransferCounters,
        time: any TimeSource
    ) {
        guard let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        self.configuration = configuration
        self.poller = poller
        self.mailbox = mailbox
        self.counters = counters
        self.time = time
        budget = TransferBudget(limit: configuration.memory)
        lanes = ConnectionLanes(limit: configuration.transfers)
        configureMulti()
        watchMailbox()
    }

    deinit {
        for handle in idle { handle.dispose() }
        unsafe curl_multi_cleanup(multi)
    }

    /// Runs until it is told to stop.
    func run() {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: Self.eventsPerTurn)
        while !isStopping {
            let timeout = waitMilliseconds
            let count = unsafe events.withUnsafeMutableBufferPointer {
                unsafe epoll_wait(poller.number, $0.baseAddress, CInt($0.count), timeout)
            }
            for index in 0..<Int(max(0, count)) { unsafe handle(events[index]) }
            callDue()
            sweep()
            collect()
            startWaiting()
            publishGauges()
        }
        for transfer in Array(transfers.values) { end(transfer, .failure(.cancelled)) }
    }

    /// A handle ready to be set up; `nil` without memory.
    func takeHandle() -> EasyHandle? { idle.popLast() ?? EasyHandle() }

    /// Takes a handle back that is out of the multi.
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
        // libcurl ignores a descriptor that it has closed meanwhile.
        act(descriptor, flags)
    }

    private func readMailbox() {
        for message in mailbox.take() {
            switch message {
            case .load(let ticket): admit(ticket)
            case .cancel(let ticket):
                if let transfer = transfers[ObjectIdentifier(ticket)] { end(transfer, .failure(.cancelled)) }
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

    /// Gives up whose deadline has passed.
    private func sweep() {
        let now = time.monotonic
        guard watch.due <= now else { return }
        for transfer in Array(transfers.values) where transfer.deadline <= now {
            conclude(transfer, transfer.expire(), code: CURLE_OPERATION_TIMEDOUT)
        }
        watch.looked(at: now, next: transfers.values.reduce(.max) { min($0, $1.deadline) })
    }

    private func publishGauges() {
        counters.update { setGauges(&$0) }
    }

    func setGauges(_ statistics: inout TransferStatistics) {
        statistics.active = lanes.active
        statistics.waiting = lanes.waiting
        statistics.bytesInFlight = budget.used
    }
}
