import CLinux
import Glibc
import LinuxSystem

/// The parts of a loop, created on the thread that starts the server.
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

/// The event loop of one thread: its listeners, connections and clock.
///
/// Created and used on its own thread only; other threads use its mailbox. Sockets are registered edge-triggered for all events
/// from the start, so a connection costs a single epoll_ctl(2).
///
/// Own code over epoll(7): plain event-loop threads were as fast as the fastest alternative measured, io_uring aside, and need no
/// framework. An io_uring loop behind the same handlers can replace it when `Benchmarks/hits.sh` shows a gain at 20 kB that pays
/// for a second code path on kernels where io_uring is disabled.
@safe final class EventLoop {
    struct Slot {
        var generation: UInt32
        var connection: Connection?
    }

    /// The user data of the mailbox; that of the listeners starts at `firstListenerSlot`.
    static let wakeSlot = UInt32.max
    static let firstListenerSlot: UInt32 = 0xFFFF_0000
    static let eventCapacity = 256

    let owner = ThreadOwner()
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
    /// The read buffer of all connections; valid until the next read.
    let scratch: UnsafeMutableRawBufferPointer
    let events: UnsafeMutablePointer<epoll_event>

    var listeners: [Listener?]
    var areListenersPaused = false
    var slots: [Slot] = []
    var freeSlots: [UInt32] = []
    var connectionCount = 0
    /// Connections to continue in the next turn although no event will come for them.
    var scheduled: [ConnectionID] = []
    var head = RequestHead()
    var batch = OutputBatch()
    var traces: TraceSequence
    var date = DateText()
    var now: Int64 = 0
    var wallSeconds: Int64 = 0
    var nextSweep: Int64 = 0
    /// This loop's part of `ServerShared.halfClosed`.
    var halfClosedCount = 0
    var drainDeadline: Int64?
    /// The time at which listeners left open by a drain close.
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

    /// Runs until a drain has finished.
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
        guard hasWorked else { return }
        handler.tick(loop: index)
        counters.turns.note(nanoseconds: configuration.time.monotonic - now)
    }

    /// The milliseconds to wait; unbounded if nothing can time out.
    private var waitTime: CInt {
        if connectionCount == 0, drainDeadline == nil, !areListenersPaused { return -1 }
        let resolution = max(1, configuration.timeouts.resolution)
        // The next step of a drain, or a check of half-closed clients, may be due before.
        return CInt(clamping: min(Int64(resolution), max(1, (nextSweep - now + 999_999) / 1_000_000)))
    }

    var resolution: Int64 { ServerTimeouts.nanoseconds(max(1, configuration.timeouts.resolution)) }

    private func updateClock() {
        now = configuration.time.monotonic
        wallSeconds = configuration.time.wallSeconds
        date.update(to: wallSeconds)
    }

    func connection(_ id: ConnectionID) -> Connection? {
        guard Int(id.slot) < slots.count, slots[Int(id.slot)].generation == id.generation else { return nil }
        return slots[Int(id.slot)].connection
    }
}
