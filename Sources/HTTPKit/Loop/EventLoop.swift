import CLinux
import Glibc
import LinuxSystem

/// What a loop is made from, on the thread that starts the server.
struct LoopSeed: Sendable {
    let index: Int
    let configuration: ServerConfiguration
    let handler: any RequestHandler
    let epoll: SharedDescriptor
    let listeners: ListenerBox
    let mailbox: LoopMailbox
    let shared: ServerShared
    let counters: LoopCounters
}

/// One thread's event loop: its listeners, its connections, its clock.
///
/// Made and used on its own thread only; other threads reach it through its mailbox. Sockets are watched edge-triggered
/// for everything from the beginning, so that a connection costs one epoll_ctl(2) in its life.
///
/// Own code over epoll(7): plain event-loop threads were as fast as the fastest alternative measured, io_uring aside, and need no
/// framework. An io_uring loop behind the same handlers can replace it when `Benchmarks/hits.sh` shows a gain at 20 kB that pays
/// for a second code path on kernels where io_uring is disabled.
@safe final class EventLoop {
    struct Slot {
        var generation: UInt32
        var connection: Connection?
    }

    /// User data of the mailbox; listeners count down from below it.
    static let wakeSlot = UInt32.max
    static let firstListenerSlot: UInt32 = 0xFFFF_0000
    static let eventCapacity = 256

    let index: Int
    var configuration: ServerConfiguration
    let handler: any RequestHandler
    let wantsCompletions: Bool
    let epoll: CInt
    private let epollOwner: SharedDescriptor
    let mailbox: LoopMailbox
    let shared: ServerShared
    let counters: LoopCounters
    let parser: RequestParser
    let encoder = ResponseEncoder()
    /// Every read of every connection goes here; valid until the next read.
    let scratch: UnsafeMutableRawBufferPointer
    let events: UnsafeMutablePointer<epoll_event>

    var listeners: [Listener?]
    var areListenersPaused = false
    var slots: [Slot] = []
    var freeSlots: [UInt32] = []
    var connectionCount = 0
    /// Connections to go on with in the next turn, though no event will come for them.
    var scheduled: [ConnectionID] = []
    var head = RequestHead()
    var batch = OutputBatch()
    var traces: TraceSequence
    var date = DateText()
    var now: Int64 = 0
    var wallSeconds: Int64 = 0
    var nextSweep: Int64 = 0
    var drainDeadline: Int64?
    /// When the listeners close that a drain has left open.
    var listenersEnd: Int64?

    init(_ seed: LoopSeed) {
        index = seed.index
        configuration = seed.configuration
        handler = seed.handler
        wantsCompletions = seed.handler.wantsCompletions
        epoll = seed.epoll.number
        epollOwner = seed.epoll
        mailbox = seed.mailbox
        shared = seed.shared
        counters = seed.counters
        listeners = seed.listeners.take()
        traces = TraceSequence(seed: seed.configuration.randomness())
        let limits = seed.configuration.limits
        parser = RequestParser(limits: limits)
        let size = max(64 * 1024, limits.requestLine + limits.headerBlock + 8 * 1024)
        unsafe scratch = .allocate(byteCount: size, alignment: 4096)
        unsafe events = .allocate(capacity: Self.eventCapacity)
    }

    deinit {
        unsafe scratch.deallocate()
        unsafe events.deallocate()
    }

    /// Runs until a drain is over.
    func run() {
        updateClock()
        nextSweep = now + resolution
        while !isFinished { turn() }
    }

    private var isFinished: Bool { drainDeadline != nil && listenersEnd == nil && connectionCount == 0 }

    private func turn() {
        let wait = scheduled.isEmpty ? waitTime : 0
        let mayWait = wait != 0 && mailbox.fallAsleep()
        let count = unsafe epoll_wait(epoll, events, CInt(Self.eventCapacity), mayWait ? wait : 0)
        mailbox.wake()
        updateClock()
        var hasWorked = count > 0
        if count > 0 {
            for index in 0..<Int(count) { unsafe handle(events[index].events, events[index].data.u64) }
        }
        let messages = mailbox.take()
        if !messages.isEmpty {
            hasWorked = true
            for message in messages { receive(message) }
        }
        if !scheduled.isEmpty {
            hasWorked = true
            resumeScheduled()
        }
        closeListenersIfDue()
        if (mayWait && count == 0) || now >= nextSweep { sweep() }
        if hasWorked { handler.tick(loop: index) }
    }

    /// Milliseconds to wait: forever when nothing can time out.
    private var waitTime: CInt {
        if connectionCount == 0, drainDeadline == nil, !areListenersPaused { return -1 }
        let resolution = max(1, configuration.timeouts.resolution)
        // A drain's next step is nearer than the next sweep would be.
        guard drainDeadline != nil else { return CInt(clamping: resolution) }
        return CInt(clamping: min(Int64(resolution), max(1, (nextSweep - now + 999_999) / 1_000_000)))
    }

    var resolution: Int64 { ServerTimeouts.nanoseconds(max(1, configuration.timeouts.resolution)) }

    func updateClock() {
        now = configuration.time.monotonic
        wallSeconds = configuration.time.wallSeconds
        date.update(to: wallSeconds)
    }

    func connection(_ id: ConnectionID) -> Connection? {
        guard Int(id.slot) < slots.count, slots[Int(id.slot)].generation == id.generation else { return nil }
        return slots[Int(id.slot)].connection
    }
}
