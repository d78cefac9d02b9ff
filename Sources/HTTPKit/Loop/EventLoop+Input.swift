import Glibc
import LinuxSystem

/// Reading and parsing.
extension EventLoop {
    /// The maximum number of reads per connection and turn, for fairness.
    private static let readsPerTurn = 16

    func readRequests(_ connection: Connection) {
        var reads = 0
        while connection.takesRequests, connection.mayRead || connection.hasUnparsedInput {
            if reads == Self.readsPerTurn { return schedule(connection) }
            reads += 1
            let kept = connection.input.count
            if kept > 0 { restore(connection.input) }
            var count = kept
            if connection.mayRead, unsafe kept < scratch.count {
                guard let received = receive(connection, behind: kept) else { return end(connection) }
                count += received
            }
            process(connection, count)
        }
    }

    private func restore(_ input: [UInt8]) {
        unsafe input.withUnsafeBytes { unsafe scratch.copyMemory(from: $0) }
    }

    /// Reads once.
    ///
    /// - Returns: the number of bytes; `nil` if the connection is broken.
    @inline(__always)
    private func receive(_ connection: Connection, behind kept: Int) -> Int? {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[kept...])
        do throws(Errno) {
            guard let count = try unsafe SocketCalls.receive(connection.descriptor, into: room) else {
                connection.mayRead = false
                return 0
            }
            if count == 0 {
                connection.mayRead = false
                connection.isInputEnded = true
            } else if count < room.count {
                // A short read has emptied the socket, but a FIN already signalled comes without another event.
                connection.mayRead = connection.isHalfClosed
            }
            counters.bytesReceived.addSingleWriter(Int64(count))
            return count
        } catch {
            return nil
        }
    }

    /// Handles the requests in the first `count` bytes of the scratch buffer, and keeps the rest.
    private func process(_ connection: Connection, _ count: Int) {
        var start = 0
        connection.hasUnparsedInput = false
        while true {
            let isStarved = consume(connection, &start, count)
            flush(connection)
            if isStarved || !connection.takesRequests { break }
        }
        if start == count || connection.phase == .closed {
            if !connection.input.isEmpty { connection.input = [] }
        } else if connection.closesAfterOutput, connection.phase == .reading {
            // There is input after the last request to be answered, and more may be on its way.
            connection.input = []
            connection.lingers = true
        } else {
            connection.hasUnparsedInput = !connection.takesRequests
            connection.input = unsafe Array(scratch[start..<count])
        }
    }

    /// Handles requests until the bytes are used up, a response is due, or the batch is full.
    ///
    /// - Returns: whether more bytes are needed to continue.
    private func consume(_ connection: Connection, _ start: inout Int, _ count: Int) -> Bool {
        while start < count {
            if batch.isFull { return false }
            let bytes = unsafe UnsafeBufferPointer(
                start: scratch.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self),
                count: count - start
            ).span
            do throws(ParseError) {
                let used: Int?
                if connection.awaitsProxyHeader {
                    used = try takeProxyHeader(connection, bytes)
                } else if let partial = connection.partial {
                    used = try continueBody(connection, partial, bytes)
                } else {
                    used = try takeRequest(connection, bytes, start)
                }
                guard let used else { return true }
                start += used
            } catch {
                refuse(connection, .malformed(error))
                start = count
            }
            if !connection.takesRequests { return false }
        }
        return true
    }

    /// Consumes the PROXY protocol header, all of it or nothing.
    ///
    /// - Returns: the number of bytes used; `nil` if the header is incomplete.
    private func takeProxyHeader(_ connection: Connection, _ bytes: Span<UInt8>) throws(ParseError) -> Int? {
        let header: ProxyHeader?
        do throws(ProxyHeader.Malformed) {
            header = try ProxyHeader.parse(bytes)
        } catch {
            throw .malformedProxyHeader
        }
        guard let header else { return nil }
        connection.awaitsProxyHeader = false
        if let client = header.client {
            connection.peer = client
            // The named client may itself be a trusted proxy.
            connection.isTrusted = configuration.proxies.trusts(client)
            if chargeConnection(connection) > configuration.maximumConnectionsPerClient {
                counters.turnedAway.addSingleWriter(1)
                counters.turnedAwayOfClients.addSingleWriter(1)
                refuse(connection, .tooManyConnectionsOfClient)
            }
        }
        return header.length
    }

    /// Consumes one request, or the beginning of one.
    ///
    /// - Returns: the number of bytes used; `nil` if the head is incomplete.
    @inline(__always)
    private func takeRequest(
        _ connection: Connection,
        _ bytes: Span<UInt8>,
        _ start: Int
    ) throws(ParseError) -> Int? {
        guard case .complete(let consumed) = try parser.parse(bytes, &connection.progress, into: &head) else {
            return nil
        }
        connection.progress = ParseProgress()
        connection.stopTimer()
        if head.hasUnknownExpectation {
            refuse(connection, .unknownExpectation, facts(bytes, start))
            return consumed
        }
        if head.framing == .none {
            dispatch(connection, bytes, body: [], place: start)
            return consumed
        }
        do throws(ParseError) {
            return try beginBody(connection, bytes, consumed, start)
        } catch {
            refuse(connection, .malformed(error), facts(bytes, start))
            return bytes.count
        }
    }

    private func beginBody(
        _ connection: Connection,
        _ bytes: Span<UInt8>,
        _ consumed: Int,
        _ start: Int
    ) throws(ParseError) -> Int {
        var limit = configuration.limits.body
        var sink: (any RequestBodySink)?
        switch handler.destination(of: head, bytes: bytes, loop: index, peer: connection.peer) {
        case nil: break
        case .memory(let most): limit = most
        case .sink(let taker, let most): (sink, limit) = (taker, most)
        case .refused(let response):
            decline(connection, response, facts(bytes, start))
            return bytes.count
        }
        var decoder = try BodyDecoder(head.framing, limit: limit, sink: sink)
        let used = try decoder.take(bytes, from: consumed)
        if decoder.isComplete {
            dispatch(connection, bytes, body: decoder.content, sink: sink, place: start)
            return used
        }
        // RFC 9110 §10.1.1: no 100 if some of the content has already arrived.
        if head.expectsContinue, used == consumed {
            if let response = handler.refusal(of: head, bytes: bytes, loop: index, peer: connection.peer) {
                decline(connection, response, facts(bytes, start))
                return used
            }
            let start = batch.heads.count
            batch.heads.append(contentsOf: encoder.continueLine)
            batch.appendHead(from: start)
        }
        connection.partial = PartialRequest(head: bytes.copy(0..<consumed), decoder: decoder)
        return used
    }

    private func continueBody(
        _ connection: Connection,
        _ partial: PartialRequest,
        _ bytes: Span<UInt8>
    ) throws(ParseError) -> Int {
        let used = try partial.decoder.take(bytes, from: 0)
        guard partial.decoder.isComplete else { return used }
        connection.partial = nil
        connection.stopTimer()
        var progress = ParseProgress()
        let bytes = partial.head
        _ = try parser.parse(bytes.span, &progress, into: &head)
        dispatch(connection, bytes.span, body: partial.decoder.content, sink: partial.decoder.sink, place: nil)
        return used
    }
}
