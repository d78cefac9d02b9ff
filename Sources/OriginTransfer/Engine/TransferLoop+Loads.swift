import CCurl
import Glibc
import HTTPSemantics
import LinuxSystem

/// The life cycle of a load: admitted, started, redirected, ended.
extension TransferLoop {
    /// Admits or refuses a new load.
    func admit(_ ticket: LoadTicket) {
        owner.assertCurrent()
        // Already cancelled: the cancel message that follows finds no transfer.
        guard !ticket.isCancelled else { return finish(ticket, .failure(.cancelled)) }
        guard let url = ticket.request.target.url else { return finish(ticket, .failure(.notFound)) }
        let transfer = Transfer(
            ticket,
            url: url,
            configuration: configuration,
            ledgers: ledgers,
            folder: folder,
            watch: watch,
            time: time,
            mailbox: mailbox
        )
        transfers[ObjectIdentifier(ticket)] = transfer
        enqueue(transfer)
    }

    /// Adapts a load's place in the queue to the clients that wait for it; for one in progress, its redirects do so.
    func waitersChanged(_ transfer: Transfer) {
        guard transfer.easy == nil else { return }
        let turns = transfer.turns
        let change = lanes.update(
            transfer,
            transfer.lane,
            for: turns,
            isLimited: !transfer.isContinued,
            at: time.monotonic
        )
        guard let change else { return }
        transfer.priority = turns.urgency
        // A client that has joined may wait as long as if it had asked for the load itself.
        if change == .joined { limitWait(transfer) }
        if transfer.priority == .background, !transfer.isContinued { transfer.phaseDeadline = .max }
    }

    /// Starts as many requests as may run.
    func startWaiting() {
        while let taken = lanes.start(at: time.monotonic) {
            let transfer = taken.item
            let lane = transfer.lane
            transfer.payer = taken.account
            transfer.started = time.monotonic
            if isLate(transfer) {
                release(transfer, observes: false)
                counters.update { $0.expired += 1 }
                end(transfer, .failure(.overloaded("the download could not end in time")))
                continue
            }
            let insists = transfer.ticket.request.retriesFailed
            let verdict = breakers.admit(lane.source, lane.origin, insists: insists, at: time.monotonic)
            if case .refused = verdict {
                // It has no handle yet, but already its slot.
                release(transfer, observes: false)
                _ = isRefused(transfer, by: verdict)
                continue
            }
            transfer.isProbe = verdict == .probe
            guard let easy = takeHandle() else {
                release(transfer, observes: false)
                end(transfer, .failure(.overloaded("no memory for a transfer")))
                continue
            }
            let isFirst = transfer.redirects == 0 && transfer.attempts.isFirst
            let queued = isFirst ? (time.monotonic - transfer.ticket.created) / 1_000 : 0
            counters.update {
                $0.requests += 1
                $0.timing.queued += queued
                if isFirst { $0.phases.queue.observe(UInt64(clamping: queued)) }
            }
            transfer.prepare(easy)
            if unsafe curl_multi_add_handle(multi, easy.pointer) != CURLM_OK {
                end(transfer, .failure(.overloaded("no memory for a transfer")))
            }
        }
    }

    /// Concludes the requests that libcurl has completed.
    func collect() {
        var left: CInt = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle,
                let transfer = unsafe Transfer.from(EasyHandle(easy).owner)
            else { continue }
            let code = unsafe message.pointee.data.result
            conclude(transfer, transfer.conclude(code), code: code)
        }
    }

    /// Ends a load, follows its redirect, or repeats its request.
    func conclude(_ transfer: Transfer, _ conclusion: Transfer.Conclusion, code: CURLcode) {
        let isProbe = transfer.isProbe
        record(transfer.outcome(conclusion), transfer)
        if case .finished(let result) = conclusion, isRepeated(transfer, result, code, isProbe: isProbe) { return }
        switch conclusion {
        case .finished(.success(var response)):
            if let easy = transfer.easy { response.timing = TransferTiming(easy) }
            end(transfer, transfer.final(.success(response)))
        case .finished(let result):
            end(transfer, transfer.final(result))
        case .redirected(let target):
            leaveWire(transfer)
            transfer.follow(target)
            counters.update { $0.redirects += 1 }
            enqueue(transfer)
        }
    }

    /// Ends a load in any phase.
    func end(_ transfer: Transfer, _ result: Result<TransferResponse, TransferError>) {
        owner.assertCurrent()
        if transfer.isProbe { record(.unknown, transfer) }
        if transfer.easy == nil {
            lanes.remove(transfer, transfer.lane)
        } else {
            leaveWire(transfer)
        }
        transfers[ObjectIdentifier(transfer.ticket)] = nil
        // Before the completion: a body that failed is of no use, and the content is the receiver's from now on.
        if case .failure = result { transfer.sink?.charge?.release() }
        transfer.contentCharge.release()
        finish(transfer.ticket, result)
        transfer.endBody(result)
    }

    func enqueue(_ transfer: Transfer) {
        if transfer.url.isLocalhost, !transfer.options.allowPrivate {
            return refuse(transfer, .addressRefused(AddressPolicy.Rule.loopback.rawValue))
        }
        guard !transfer.isForeign || !transfer.url.hasBadPort else {
            return refuse(transfer, .addressRefused(BadPort.rule))
        }
        if let refusal = transfer.literalRefusal {
            return refuse(transfer, .addressRefused(refusal.name))
        }
        let lane = transfer.lane
        let insists = transfer.ticket.request.retriesFailed
        let verdict = breakers.verdict(lane.source, lane.origin, insists: insists, at: time.monotonic)
        guard !isRefused(transfer, by: verdict) else { return }
        var turns = transfer.turns
        transfer.priority = turns.urgency
        if isLimited(transfer) { turns = turns.filter { lanes.admits($0, to: lane) } }
        guard !turns.isEmpty else {
            counters.update { $0.refusedByWait += 1 }
            return end(transfer, .failure(.overloaded("loads from this origin are waiting for too long")))
        }
        let dropped = lanes.enqueue(
            transfer,
            lane,
            limit: transfer.options.connections,
            for: turns,
            since: transfer.ticket.created,
            entered: time.monotonic,
            isAdmitted: transfer.isContinued
        )
        limitWait(transfer)
        watch.need(by: transfer.deadline)
        guard let dropped else { return }
        counters.update { $0.dropped += 1 }
        end(dropped, dropped.final(.failure(.overloaded("too many loads are waiting for origins"))))
    }

    private func finish(_ ticket: LoadTicket, _ result: Result<TransferResponse, TransferError>) {
        counters.update {
            if case .success(let response) = result, response.mirror > 0 { $0.mirrored += 1 }
            $0.outcomes[TransferStatistics.Outcome(result), default: 0] += 1
            setGauges(&$0)
        }
        ticket.complete(result)
    }

    /// Removes a request from libcurl, which closes the connection unless the response was read completely.
    func leaveWire(_ transfer: Transfer) {
        guard let easy = transfer.easy else { return }
        count(transfer, easy)
        let isMultiplexed = easy.long(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
        unsafe curl_multi_remove_handle(multi, easy.pointer)
        transfer.easy = nil
        giveBack(easy)
        transfer.lists = []
        release(transfer, multiplexed: transfer.head.isComplete ? isMultiplexed : nil)
    }

    /// Whether `queueTime` limits how long a load may wait: that of requests that have just begun.
    private func isLimited(_ transfer: Transfer) -> Bool {
        transfer.priority > .background && !transfer.isContinued
    }

    /// Sets the end of a load's waiting in the queue.
    private func limitWait(_ transfer: Transfer) {
        if isLimited(transfer) { transfer.enter(.queue, milliseconds: lanes.scheduling.queueTime) }
    }

    /// Whether a load that has waited is expected to exceed its total timeout.
    ///
    /// Never for one that starts at once, nor for the only one of its lane: otherwise an origin that was slow would never be found to
    /// have recovered.
    private func isLate(_ transfer: Transfer) -> Bool {
        let now = time.monotonic
        guard isLimited(transfer), now - transfer.ticket.created > LaneClient<Transfer>.patience,
            lanes.active(transfer.lane) > 1, let expected = lanes.expectedTime(transfer.lane)
        else { return false }
        return transfer.totalDeadline - now < expected
    }

    /// Frees the slot of a request.
    ///
    /// - Parameter observes: whether its time says how long other requests will take; that of an endless one does not.
    private func release(_ transfer: Transfer, multiplexed: Bool? = nil, observes: Bool = true) {
        lanes.release(
            transfer.lane,
            account: transfer.payer,
            multiplexed: multiplexed,
            nanoseconds: time.monotonic - transfer.started,
            isTypical: observes && !transfer.isPassedOn && !transfer.isEndless
        )
    }

    private func count(_ transfer: Transfer, _ easy: EasyHandle) {
        let isAnswered = transfer.head.isComplete
        let opened = easy.long(CURLINFO_NUM_CONNECTS)
        let resumptions = transfer.resumptions
        transfer.resumptions = 0
        let bytes = transfer.received - transfer.countedBytes + transfer.discarded
        counters.update {
            $0.bytes += bytes
            $0.newConnections += opened
            $0.resumptions += resumptions
            guard isAnswered else { return }
            $0.answered += 1
            $0.reusedConnections += opened == 0 ? 1 : 0
            $0.phases.observe(TransferTiming(easy), isNew: opened > 0)
            $0.timing.resolved += easy.offset(CURLINFO_NAMELOOKUP_TIME_T)
            $0.timing.connected += easy.offset(CURLINFO_CONNECT_TIME_T)
            $0.timing.secured += easy.offset(CURLINFO_APPCONNECT_TIME_T)
            $0.timing.firstByte += easy.offset(CURLINFO_STARTTRANSFER_TIME_T)
            $0.timing.total += easy.offset(CURLINFO_TOTAL_TIME_T)
        }
    }
}
