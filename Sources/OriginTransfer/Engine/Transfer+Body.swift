import CCurl
import HTTPSemantics
import LinuxSystem

/// The body of a response: received, announced while it arrives, and ended; on the transfer thread.
///
/// Short bodies are delivered when they are complete. A longer or slower one is announced to the load's `arrival`, which
/// follows it in a file. A body over the limit is passed on if it has been announced: its file then keeps only what its
/// slowest reader has not read, and the transfer is paused while that is too much. A reader that reads hardly anything while
/// others wait for more is ended.
extension Transfer {
    /// Bodies up to this many bytes are delivered when they are complete, unless they are slow.
    private static let announcedLength = 1 << 20
    /// Nanoseconds after the head at which a body that is still arriving is announced.
    private static let patience: Int64 = 200_000_000
    /// The bytes of a passed-on body that may be unread.
    private static let window = 1 << 20
    /// The bytes that a body may take from the loop while messages are waiting.
    private static let share = 64 << 10

    /// Bytes of the body received so far, before they are decoded.
    var received: Int { sink?.received ?? content.count }

    private var limit: Int { options.limits.bytes }
    /// The maximum bytes of the body before it is decoded.
    var codedLimit: Int { options.decryption?.codedLength(of: limit) ?? limit }

    /// Whether the response has no body whatever its `Content-Length`.
    private var isBodiless: Bool {
        ticket.request.exchange?.method == "HEAD" || head.status == 204 || head.status == 304
    }

    /// Whether libcurl decodes the content.
    private var isDecoded: Bool {
        !isRaw && head.lines["content-encoding"].map { $0.lowercased() != "identity" } ?? false
    }

    /// Decides from the head how the body is received.
    func beginBody() {
        defer { ticket.announceHead(status: head.status, expected: isBodiless ? nil : bodyLength) }
        guard head.status == 200 || isRaw, !isBodiless else { return }
        isHeld = isRaw && isReplaceable
        guard !isHeld else { return }
        bodyLength = isDecoded ? nil : head.contentLength

        let isTooLong = head.contentLength.map { $0 > codedLimit } ?? false
        guard isRaw, ticket.wantsArrival else {
            if isTooLong { failure = .tooLarge(limit: limit) } else { expectAnnouncement() }
            return
        }
        // An event stream does not end, and is never stored.
        isEndless = head.lines["content-type"]?.lowercased().hasPrefix("text/event-stream") ?? false
        isPassedOn = isTooLong || isEndless
        expectMore()
        guard isPassedOn || head.contentLength == nil else { return expectAnnouncement() }
        do throws(TransferError) { try announce() } catch { failure = error }
    }

    /// Receives bytes of the body.
    ///
    /// - Returns: the number of bytes consumed, or `CURL_WRITEFUNC_PAUSE`; any other number aborts the request.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if isPassedOn { return unsafe passOn(bytes) }
        if mustYield { return pause() }
        receivedAtOnce += bytes.count
        expectMore()
        if isHeld { return unsafe hold(bytes) }
        guard isRaw || head.status == 200 else {
            discarded += bytes.count
            return discarded <= Self.maximumDiscarded ? bytes.count : 0
        }
        do throws(TransferError) {
            if isRaw, growing != nil, bytes.count > limit - received {
                passOnFromNow()
                return unsafe passOn(bytes)
            }
            try unsafe keep(bytes)
            try inspect()
            try announceIfDue()
        } catch {
            failure = error
            return 0
        }
        ticket.count(bytes.count)
        // The last bytes follow after the completion, so that a client that has read them finds the response stored.
        if let growing, received < bodyLength ?? .max { growing.grow(to: received) }
        return bytes.count
    }

    /// Whether the loop must read its mailbox before more of the body is received.
    ///
    /// libcurl receives what has arrived, up to a hundred buffers, before it returns; cancellations and new loads do not wait for that.
    /// Content that it decodes is not paused: it would keep what it decodes meanwhile in memory, up to 64 MB.
    private var mustYield: Bool { receivedAtOnce >= Self.share && mailbox.hasNews && !isDecoded }

    private func pause() -> Int {
        isPaused = true
        requestResume()
        return Int(CURL_WRITEFUNC_PAUSE)
    }

    /// Makes the loop call `resume()`; any thread.
    private var requestResume: @Sendable () -> Void { { [mailbox, ticket] in mailbox.post(.resume(ticket)) } }

    /// Keeps the content of a failure that another request may replace, up to `maximumDiscarded` bytes.
    private func hold(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard content.count + bytes.count <= Self.maximumDiscarded else { return 0 }
        unsafe content.append(contentsOf: bytes)
        ticket.count(bytes.count)
        return bytes.count
    }

    /// Limits the time until the next bytes of the body; an event stream may pause for any time.
    func expectMore() {
        if isEndless { phaseDeadline = .max } else { enter(.body, milliseconds: options.timeouts.firstByte) }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
        // The sink knows the length of what it decodes.
        guard options.decryption != nil || bytes.count <= limit - received else { throw .tooLarge(limit: limit) }
        guard !isRaw || sink != nil else {
            try charge(bytes.count)
            unsafe content.append(contentsOf: bytes)
            return
        }
        let sink = try openSink()
        try charge(bytes.count)
        guard sink.isOnDisk, let folder else { return try unsafe sink.append(bytes) }
        let start = time.monotonic
        try unsafe sink.append(bytes)
        folder.noteWrite(from: start, to: time.monotonic)
    }

    private func charge(_ bytes: Int) throws(TransferError) {
        guard (sink?.charge ?? contentCharge).add(bytes) else {
            let place = sink?.isOnDisk ?? false ? "disk" : "memory"
            throw .overloaded("the \(place) limit for bodies is reached")
        }
    }

    private func openSink() throws(TransferError) -> BodySink {
        if let sink { return sink }
        // Bodies wait in memory for the disk and for workers; once these are behind, the folder takes further ones.
        let isShort = bodyLength.map { $0 <= configuration.memoryBody } ?? false
        let hasRoom = ledgers.memory.used <= ledgers.memory.limit / 2
        let mayStay = isShort && hasRoom
        let path = mayStay && !landsInFolder ? nil : folder?.path
        let reserved = mayStay ? bodyLength ?? 0 : 0
        let opened: BodySink
        do throws(TransferError) {
            opened = try newSink(in: path, reserved)
        } catch {
            guard DescriptorLimit.isReached, configuration.relief?.relieve() == true else { throw error }
            opened = try newSink(in: path, reserved)
        }
        sink = opened
        return opened
    }

    private func newSink(in folder: String?, _ reserved: Int) throws(TransferError) -> BodySink {
        try BodySink(
            limit: limit,
            folder: folder,
            reserved: reserved,
            decryption: options.decryption,
            ledgers: ledgers
        )
    }

    /// Whether the body is received into the file that becomes its content file, instead of being copied into one.
    private var landsInFolder: Bool {
        guard options.isStored, !isRaw, let bodyLength, bodyLength >= BodyFolder.smallest,
            ledgers.disk.used + bodyLength <= ledgers.disk.limit / 2
        else { return false }
        return folder?.keepsUp(at: time.monotonic) ?? false
    }

    // MARK: Announcing

    /// Examines the beginning of the body if enough of it has arrived.
    private func inspect() throws(TransferError) {
        guard let wanted = nextInspection, let inspection = ticket.request.inspection, let sink, sink.count >= wanted,
            let beginning = sink.reading.read(count: wanted)
        else { return }
        switch inspection.examine(beginning, bodyLength) {
        case .needs(let more): nextInspection = max(more, wanted + 1)
        case .accepted: nextInspection = nil
        case .refused(let reason): throw .contentRefused(reason)
        }
    }

    private func announceIfDue() throws(TransferError) {
        guard ticket.wantsArrival, growing == nil, resumption == nil, nextInspection == nil,
            received < bodyLength ?? .max
        else { return }
        let isLong = bodyLength.map { $0 > Self.announcedLength } ?? (received > Self.announcedLength)
        if isLong || time.monotonic - headTime >= Self.patience { try announce() }
    }

    /// Makes the loop call `announceLate` if the body takes long.
    private func expectAnnouncement() {
        guard ticket.wantsArrival else { return }
        announcementDue = headTime + Self.patience
        watch.need(by: announcementDue)
    }

    /// Announces a body that takes long.
    ///
    /// - Returns: the failure to do so; `nil` if it has succeeded, or must wait for the inspection.
    func announceLate() -> TransferError? {
        announcementDue = .max
        do throws(TransferError) { try announceIfDue() } catch { return error }
        return nil
    }

    /// Hands the response to the load's `arrival`, with the body as far as it has arrived.
    private func announce() throws(TransferError) {
        let sink = try openSink()
        if !content.isEmpty {
            try unsafe content.withUnsafeBufferPointer { bytes throws(TransferError) in
                try unsafe sink.append(UnsafeRawBufferPointer(bytes))
            }
            content = []
            contentCharge.release()
            try charge(sink.count)
        }
        let growing = GrowingFile(sink.reading, expected: bodyLength, isKept: !isPassedOn)
        growing.grow(to: sink.count)
        self.growing = growing
        var response = TransferResponse(head: transferHead, redirects: hops, body: .growing(growing))
        response.mirror = attempts.index
        ticket.announce(response)
        if isPassedOn { growing.forgetRead(requestResume) }
    }

    // MARK: Passing on

    /// Stops keeping a body that has turned out to be too long; its readers receive the rest.
    private func passOnFromNow() {
        isPassedOn = true
        ticket.complete(.failure(.tooLarge(limit: limit)))
        // Its file keeps only a window from now on.
        sink?.charge?.release()
        growing?.forgetRead(requestResume)
    }

    /// Appends bytes for the readers, or pauses the transfer until they have caught up.
    private func passOn(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let growing, let sink, growing.retained < Self.window else {
            isPaused = true
            phaseDeadline = .max
            // The server ends a client that keeps others waiting meanwhile.
            growing?.stall(at: time.monotonic)
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        do throws(TransferError) {
            try unsafe sink.pass(bytes)
        } catch {
            failure = error
            return 0
        }
        expectMore()
        ticket.count(bytes.count)
        growing.grow(to: sink.count)
        return bytes.count
    }

    /// Continues a paused transfer.
    func resume() {
        guard isPaused, let easy else { return }
        isPaused = false
        receivedAtOnce = 0
        expectMore()
        unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    }

    // MARK: Ending

    /// Discards what has been received, before another request of the same load.
    func dropBody() {
        sink = nil
        content = []
        bodyLength = nil
        contentCharge.release()
        announcementDue = .max
        nextInspection = ticket.request.inspection?.first
    }

    /// Ends the body after the load's completion.
    func endBody(_ result: Result<TransferResponse, TransferError>) {
        if let growing {
            if case .success = result {
                growing.grow(to: received)
                growing.end(.complete)
            } else {
                growing.end(.failed)
            }
        }
        growing = nil
        dropBody()
    }
}
