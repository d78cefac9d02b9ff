import HTTPSemantics
import LinuxSystem
import Synchronization

/// Dispatching requests and encoding responses.
extension EventLoop {
    /// Passes a complete request to the handler.
    ///
    /// - Parameter place: the offset of the request in the scratch buffer; `nil` if its bytes are elsewhere.
    @inline(__always)
    func dispatch(
        _ connection: Connection,
        _ bytes: Span<UInt8>,
        body: [UInt8],
        sink: (any RequestBodySink)? = nil,
        place: Int?
    ) {
        connection.sequence &+= 1
        connection.served += 1
        counters.requests.addSingleWriter(1)
        let forwarded =
            connection.isTrusted && head.has(.xForwardedFor)
            ? ForwardedFor.client(head, bytes, proxies: configuration.proxies) : nil
        let client = forwarded ?? connection.peer
        let trace = trace(bytes, isTrusted: connection.isTrusted)
        let context = RequestContext(
            loop: index,
            body: body,
            sink: sink,
            monotonic: now,
            wallSeconds: wallSeconds,
            peer: client,
            isUnnamed: forwarded == nil && connection.carriesManyClients,
            trace: trace,
            connection: connection,
            mailbox: mailbox
        )
        let reply = handler.handle(head, bytes: bytes, context: context)
        var facts = facts(bytes, place)
        facts.trace = trace
        if connection.isTrusted { facts.client = client }
        switch reply {
        case .now(let response):
            if connection.pending != nil {
                // The handler took a promise, then responded directly: void the promise.
                connection.pending = nil
                connection.sequence &+= 1
            }
            answer(connection, response, facts)
        case .later:
            guard connection.pending != nil else { return answer(connection, handler.reject(.abandoned), facts) }
            save(&facts)
            connection.waiting = facts
            connection.phase = .answering
            if shared.halfClosed.load(ordering: .relaxed) > 0 { sweepSoon() }
        }
    }

    /// The trace context of a request, with the decision whether it is traced.
    @inline(__always)
    private func trace(_ bytes: Span<UInt8>, isTrusted: Bool) -> TraceContext {
        var trace = received(bytes)
        configuration.sampling?.decide(&trace, isTrusted: isTrusted)
        return trace
    }

    /// The caller's trace context if there is exactly one and it is valid; otherwise a new one.
    @inline(__always)
    private func received(_ bytes: Span<UInt8>) -> TraceContext {
        guard head.has(.traceparent) else { return traces.next() }
        var found: TraceContext?
        var count = 0
        head.forEach(.traceparent) { value in
            count += 1
            found = TraceContext(bytes.extracting(value))
        }
        guard count == 1, let found else { return traces.next() }
        return found
    }

    /// The parts of the parsed request that are needed after its bytes are gone.
    @inline(__always)
    func facts(_ bytes: Span<UInt8>, _ place: Int?) -> ExchangeFacts {
        var facts = ExchangeFacts(
            method: head.method,
            minorVersion: head.minorVersion,
            keepsAlive: head.keepAlive,
            start: now
        )
        if wantsCompletions {
            if let place {
                facts.target = head.target.lowerBound + place..<head.target.upperBound + place
            } else {
                facts.savedTarget = bytes.copy(head.target)
            }
        }
        return facts
    }

    /// Appends a response to the batch.
    @inline(__always)
    func answer(_ connection: Connection, _ response: Response, _ facts: ExchangeFacts) {
        let keepsAlive =
            facts.keepsAlive && !response.closesConnection && drainDeadline == nil
            && connection.served < configuration.limits.requestsPerConnection
            && (facts.minorVersion > 0 || response.body.count != nil)
        let options = ResponseEncoder.Options(
            isHEAD: facts.method == .head,
            minorVersion: facts.minorVersion,
            keepsAlive: keepsAlive
        )
        append(response, options, facts, to: &batch)
        if !keepsAlive { connection.closesAfterOutput = true }
    }

    @inline(__always)
    private func append(
        _ response: borrowing Response,
        _ options: ResponseEncoder.Options,
        _ facts: ExchangeFacts,
        to batch: inout OutputBatch
    ) {
        let begin = batch.total
        let start = batch.heads.count
        let hasBody = encoder.encode(response, options, date: date.line, into: &batch.heads)
        batch.appendHead(from: start)
        if hasBody { batch.append(response.body, isChunked: options.minorVersion > 0) }
        if wantsCompletions {
            batch.exchanges.append(
                ExchangeRecord(
                    facts: facts,
                    status: response.status,
                    tag: response.tag,
                    amount: response.amount,
                    note: response.note,
                    begin: begin,
                    end: batch.isOpen ? .max : batch.total
                )
            )
        }
    }

    /// Responds instead of the handler; the connection is closed afterwards.
    ///
    /// - Parameter facts: the facts of the request, if its head could be parsed.
    func refuse(_ connection: Connection, _ rejection: RequestRejection, _ facts: ExchangeFacts? = nil) {
        counters.rejected.addSingleWriter(1)
        connection.partial = nil
        connection.input = []
        connection.lingers = true
        var facts = facts ?? ExchangeFacts(start: now)
        facts.keepsAlive = false
        answer(connection, handler.reject(rejection), facts)
    }

    /// Responds to a request whose content was rejected; the connection is closed, since the content may be sent anyway.
    func decline(_ connection: Connection, _ response: Response, _ facts: ExchangeFacts) {
        connection.lingers = true
        connection.served += 1
        counters.requests.addSingleWriter(1)
        var facts = facts
        facts.keepsAlive = false
        answer(connection, response, facts)
    }

    /// Copies the target out of the scratch buffer, which is about to be overwritten.
    func save(_ facts: inout ExchangeFacts) {
        guard wantsCompletions, facts.savedTarget == nil else { return }
        facts.savedTarget = unsafe Array(scratch[facts.target])
    }

    /// Reports finished exchanges to the handler: the completely written ones, and with `isAborted` all others.
    func report(_ connection: Connection, _ batch: inout OutputBatch, isAborted: Bool = false) {
        guard !batch.exchanges.isEmpty else { return }
        let end = configuration.time.monotonic
        var count = 0
        for record in batch.exchanges {
            let isComplete = record.end <= batch.written
            guard isComplete || isAborted else { break }
            count += 1
            let sent = max(0, min(batch.written, record.end) - record.begin)
            let marks = (record.amount, record.note)
            report(connection, record.facts, record.status, record.tag, sent, end, isComplete, marks)
        }
        batch.exchanges.removeFirst(count)
    }

    func report(
        _ connection: Connection,
        _ facts: ExchangeFacts,
        _ status: UInt16,
        _ tag: UInt64,
        _ sent: Int64,
        _ end: Int64,
        _ isComplete: Bool,
        _ marks: (amount: Int64, note: (any ExchangeNote)?) = (0, nil)
    ) {
        var method = facts.method
        if case .other = method { method = .other(0..<0) }
        let summary = ExchangeSummary(
            method: method,
            status: status,
            minorVersion: facts.minorVersion,
            bytesSent: sent,
            duration: end - facts.start,
            isComplete: isComplete,
            tag: tag,
            amount: marks.amount,
            note: marks.note,
            peer: facts.client ?? connection.peer,
            trace: facts.trace ?? traces.next(),
            loop: index
        )
        if let target = facts.savedTarget {
            handler.finished(summary, target: target.span)
        } else {
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: scratch[facts.target])
            handler.finished(summary, target: unsafe bytes.bindMemory(to: UInt8.self).span)
        }
    }
}
