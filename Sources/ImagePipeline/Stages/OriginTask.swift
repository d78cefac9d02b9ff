import HTTPSemantics
import ImagePlan
import LinuxSystem
import OriginTransfer

/// Stage 5: the bringing of one original, shared by all variants that need it.
final class OriginTask: Sendable {
    /// What is done with what is stored.
    enum Mode: String, Sendable {
        /// Fresh, it answers; stale too, where that is allowed while the origin is asked behind the back.
        case normal
        /// Fresh, it answers; else the origin is asked.
        case refresh
        /// The origin is asked whatever is stored, failures included (SDWebImage's RetryFailed), unless it is in trouble just now.
        case validate
        /// The origin is not asked.
        case storedOnly
    }

    private let request: OriginRequest
    private let mode: Mode
    /// Whether the one who starts it needs the bytes; else a conditional request will do although they are gone.
    private let needsBody: Bool
    private let caller: OriginCaller
    /// Under which its failure is remembered.
    private let failureKey: CacheKey
    private let parts: PipelineParts
    private let flight: Flight<OriginOutcome>
    private let refresh: @Sendable () -> Void
    private let load = Lock<(any LoadHandle)?>(nil)
    /// Whether it is the one try after a failure: however it ends, the next may be made then.
    private let isProbe = Lock(false)

    /// - Parameter refresh: has the original brought up to date behind the back of who gets it stale.
    init(
        request: OriginRequest,
        mode: Mode,
        needsBody: Bool,
        caller: OriginCaller,
        parts: PipelineParts,
        flight: Flight<OriginOutcome>,
        refresh: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.mode = mode
        self.needsBody = needsBody
        self.caller = caller
        failureKey = request.failureKey(for: caller)
        self.parts = parts
        self.flight = flight
        self.refresh = refresh
    }

    /// Looks at what is stored, then asks the origin if need be.
    func start() {
        let enough = parts.limits.continueAfter
        flight.onAbandon(
            unless: { [self] in
                request.keeps.originals.keepOnDisk && (load.withLock { $0 }?.received ?? 0) >= enough
            },
            cancel: { [self] in load.withLock { $0 }?.cancel() }
        )
        onReadLane { self.lookUp() }
    }

    private func lookUp() {
        guard let found = StoredOriginalStage(parts: parts).find(request) else {
            admitTransfer(stored: nil)
            return
        }
        let state = found.origin.state
        let now = parts.time.wallSeconds
        guard found.body != nil || !needsBody, mode != .validate else {
            admitTransfer(stored: found)
            return
        }
        if state.isFresh(at: now) {
            finish(found.origin, body: found.body, storable: true, way: .stored)
        } else if mode != .refresh,
            state.isUsableWhileRevalidating(at: now, else: request.source.staleWhileRevalidate),
            parts.failures.pause(failureKey)?.allowsStale != false
        {
            finish(found.origin, body: found.body, storable: true, way: .stale)
            if mode == .normal { refresh() }
        } else {
            admitTransfer(stored: found)
        }
    }

    /// Asks the origin unless it has failed a moment ago, or is not to be asked.
    private func admitTransfer(stored: StoredOriginalStage.Found?) {
        switch mode {
        case .validate:
            // Even who demands the origin's word leaves an origin in trouble alone.
            if let failure = parts.failures.outage(failureKey) { return end(.failure(failure)) }
        case .storedOnly:
            guard case .blocked(let failure) = parts.failures.verdict(failureKey) else {
                return end(.failure(.notCached))
            }
            return fail(failure, stored: stored)
        case .normal, .refresh:
            switch parts.failures.admit(failureKey) {
            case .clear: break
            case .blocked(let failure): return fail(failure, stored: stored)
            case .probe:
                isProbe.withLock { $0 = true }
                // Others are not to wait for a try that may take as long as the last one.
                flight.detach()
            }
        }
        transfer(stored: stored)
    }

    /// Ends with a failure, unless something stored may stand in for it (RFC 5861 §4).
    private func fail(_ error: PipelineError, stored: StoredOriginalStage.Found?) {
        let now = parts.time.wallSeconds
        guard mode != .validate, error.allowsStale, let stored, stored.body != nil || !needsBody,
            stored.origin.state.isUsableIfError(at: now, else: request.source.staleIfError)
        else {
            end(.failure(error))
            return
        }
        finish(stored.origin, body: stored.body, storable: true, way: .stale)
    }

    /// Ends with a failure of the transfer, which is remembered.
    private func fail(
        _ error: PipelineError,
        words: FailureWords = FailureWords(),
        after stored: StoredOriginalStage.Found?
    ) {
        if !request.keepsNothing {
            _ = flight.publish {
                let isKept = stored != nil && !error.saysGone
                parts.failures.record(failureKey, error, of: request, words: words, hasStored: isKept)
                if stored != nil, !isKept {
                    dropStored()
                    parts.origins.retire(request.key)
                }
            }
        }
        let reason: CacheStatus.Reason = stored == nil ? .uriMiss : mode == .validate ? .request : .stale
        fail(error.after(asking: reason), stored: stored)
    }

    private func transfer(stored: StoredOriginalStage.Found?) {
        // A 304 says nothing to one who needs bytes that are gone.
        let conditional = stored.map { $0.body != nil || !needsBody } ?? false
        var fetch = OriginFetch(
            target: request.target,
            source: request.source,
            entityTag: conditional ? stored?.origin.record.entityTag : nil,
            lastModified: conditional ? stored?.origin.record.lastModified : nil
        )
        fetch.caller = caller
        let began = parts.time.monotonic
        let handle = parts.loader.load(fetch) { [self] result in
            let microseconds = UInt32(clamping: (parts.time.monotonic - began) / 1000)
            switch result {
            case .failure(let error): fail(error, after: stored)
            case .success(.refused(let status, let fields)):
                fail(.originStatus(status), words: FailureWords(fields), after: stored)
            case .success(.exchanged(let answer)):
                fail(.originStatus(answer.status), after: stored)
            case .success(.notModified(let fields)):
                guard let stored, conditional else {
                    fail(.originProtocol("304 without a condition"), after: stored)
                    return
                }
                onReadLane { self.refresh(stored, fields: fields, microseconds: microseconds) }
            case .success(.fetched(let fields, let body)):
                onReadLane { self.admit(fields, body, replacing: stored, microseconds: microseconds) }
            }
        }
        load.withLock { $0 = handle }
        if flight.isOver { handle.cancel() }
    }

    /// A 304: the stored response stands, under the origin's new words (RFC 9111 §4.3.4).
    private func refresh(_ stored: StoredOriginalStage.Found, fields: OriginFields, microseconds: UInt32) {
        forgetFailure()
        let (record, storable) = TransferStage.refreshed(stored.origin.record, by: fields, source: request.source)
        let origin = publish(record) {
            if !storable {
                dropStored()
            } else if request.keeps.keepsOriginalRecord {
                parts.disk?.store(origin: record, body: nil)
            }
        }
        finish(
            origin,
            body: stored.body,
            storable: storable,
            way: asked(of: stored.origin.record, status: 304),
            microseconds: microseconds
        )
    }

    /// A new body: sniffed, recorded, kept.
    private func admit(
        _ fields: OriginFields,
        _ body: OriginBody,
        replacing stored: StoredOriginalStage.Found?,
        microseconds: UInt32
    ) {
        var record: OriginRecord
        do throws(PipelineError) {
            record = try TransferStage.record(of: request, fields: fields, body: body)
            // Remembered of the file and not of one size, as what is not there is.
            if request.source.isFolder,
                let refusal = HeaderGate.refusal(of: record.header.format, source: request.source)
            {
                throw refusal
            }
        } catch {
            fail(error.concealed(by: request.source), words: FailureWords(fields), after: stored)
            return
        }
        if let stored, stored.origin.record.digest == record.digest {
            record.placeholder = stored.origin.record.placeholder
        } else {
            // What could not be made of another body may well be made of this one.
            parts.failures.forgetVariants(of: request.key)
        }
        forgetFailure()
        let storable = TransferStage.isStorable(fields)
        let origin = publish(record) {
            if storable {
                keep(record, body, isStored: stored?.body?.digest == body.digest)
            } else if stored != nil {
                dropStored()
            }
        }
        finish(
            origin,
            body: body,
            storable: storable,
            way: way(to: body, replacing: stored),
            microseconds: microseconds
        )
    }

    /// Makes known what the origin has said, and keeps it; where a purge has come between, only who waits hears of it.
    private func publish(_ record: OriginRecord, keeping: () -> Void) -> OriginSnapshot {
        guard !request.keepsNothing else { return OriginState(record).snapshot }
        let origin = flight.publish(of: record) {
            let origin = parts.origins.update(record)
            keeping()
            return origin
        }
        return origin ?? OriginState(record).snapshot
    }

    /// What was kept must not live on once the origin says that it is gone, or may not be kept (RFC 9111 §3).
    private func dropStored() {
        let selection = PurgeSelection.originals([request.key]).withMezzanines
        parts.recent.purge(Purge(selection))
        guard let disk = parts.disk, disk.conceal(selection) else { return }
        _ = disk.remove(selection, completion: nil)
    }

    /// What a body that has come means for who asked.
    private func way(to body: OriginBody, replacing stored: StoredOriginalStage.Found?) -> OriginOutcome.Way {
        // Without anything stored before, or with only a record whose bytes were gone, this is a plain miss.
        guard let record = stored?.origin.record else { return .fetched }
        // A known file read again is what a stored original read again is.
        if request.source.isFolder, record.digest == body.digest { return .stored }
        return asked(of: record, status: 200)
    }

    /// Why the origin was asked about something stored: it was stale, or the request would have it so.
    private func asked(of record: OriginRecord, status: Int) -> OriginOutcome.Way {
        record.freshness.isFresh(at: parts.time.wallSeconds)
            ? (mode == .validate ? .validated(status: status) : .fetched) : .revalidated(status: status)
    }

    private func forgetFailure() {
        parts.failures.forget(failureKey)
        if failureKey != request.key { parts.failures.forget(request.key) }
    }

    private func end(_ result: Result<OriginOutcome, PipelineError>) {
        if isProbe.withLock({ $0 }) { parts.failures.giveUp(failureKey) }
        flight.finish(result)
    }

    private func keep(_ record: OriginRecord, _ body: OriginBody, isStored: Bool) {
        // A file is on a disk already: of it only what is known is kept, beside its variants.
        guard let disk = parts.disk, !request.source.isFolder, request.keeps.originals.keepOnDisk else { return }
        if isStored {
            disk.store(origin: record, body: nil)
        } else {
            parts.recent.store(record, body, on: disk)
        }
    }

    private func finish(
        _ origin: OriginSnapshot,
        body: OriginBody?,
        storable: Bool,
        way: OriginOutcome.Way,
        microseconds: UInt32 = 0
    ) {
        end(
            .success(
                OriginOutcome(
                    origin: origin,
                    body: body,
                    storable: storable,
                    way: way,
                    fetchMicroseconds: microseconds
                )
            )
        )
    }

    private func onReadLane(_ work: @escaping @Sendable () -> Void) {
        guard parts.readLane.submit(work) else {
            end(.failure(.overloaded("too many requests wait for the disk")))
            return
        }
    }
}
