import HTTPSemantics
import LinuxSystem

/// Stage 5: the bringing of one original, shared by all variants that need it.
final class OriginTask: Sendable {
    private let request: OriginRequest
    /// Whether the one who starts it needs the bytes; else a conditional request will do although they are gone.
    private let needsBody: Bool
    private let traceparent: String?
    private let parts: PipelineParts
    private let flight: Flight<OriginOutcome>
    private let load = Lock<(any LoadHandle)?>(nil)

    init(
        request: OriginRequest,
        needsBody: Bool,
        traceparent: String?,
        parts: PipelineParts,
        flight: Flight<OriginOutcome>
    ) {
        self.request = request
        self.needsBody = needsBody
        self.traceparent = traceparent
        self.parts = parts
        self.flight = flight
    }

    /// Looks at what is stored, then asks the origin if need be.
    func start() {
        let enough = parts.limits.continueAfter
        flight.onAbandon(
            unless: { [self] in
                request.source.cache.keepOnDisk && (load.withLock { $0 }?.received ?? 0) >= enough
            },
            cancel: { [self] in load.withLock { $0 }?.cancel() }
        )
        onReadLane { self.lookUp() }
    }

    private func lookUp() {
        guard let found = StoredOriginalStage(parts: parts).find(request) else {
            transfer(stored: nil)
            return
        }
        let usable = found.body != nil || !needsBody
        guard usable, found.origin.state.isFresh(at: parts.time.wallSeconds) else {
            transfer(stored: found)
            return
        }
        finish(found.origin, body: found.body, storable: true, way: .stored)
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
        fetch.traceparent = traceparent
        let began = parts.time.monotonic
        let handle = parts.loader.load(fetch) { [self] result in
            let microseconds = UInt32(clamping: (parts.time.monotonic - began) / 1000)
            switch result {
            case .failure(let error): flight.finish(.failure(error))
            case .success(.notModified(let fields)):
                guard let stored, conditional else {
                    flight.finish(.failure(.originProtocol("304 without a condition")))
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
        let (record, storable) = TransferStage.refreshed(stored.origin.record, by: fields, source: request.source)
        let origin = publish(record) {
            if storable, request.source.cache.keepOnDisk { parts.disk?.store(origin: record, body: nil) }
        }
        finish(
            origin,
            body: stored.body,
            storable: storable,
            way: .revalidated(status: 304),
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
        let record: OriginRecord
        do {
            record = try TransferStage.record(of: request, fields: fields, body: body)
        } catch {
            flight.finish(.failure(error))
            return
        }
        let storable = TransferStage.isStorable(fields)
        let origin = publish(record) {
            if storable { keep(record, body, isStored: stored?.body?.digest == body.digest) }
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
        let origin = flight.publish {
            let origin = parts.origins.update(record)
            keeping()
            return origin
        }
        return origin ?? OriginState(record).snapshot
    }

    /// What a body that has come means for who asked.
    private func way(to body: OriginBody, replacing stored: StoredOriginalStage.Found?) -> OriginOutcome.Way {
        // Without anything stored before, or with only a record whose bytes were gone, this is a plain miss.
        guard let record = stored?.origin.record else { return .fetched }
        // A known file read again is what a stored original read again is.
        if request.source.isFolder, record.digest == body.digest { return .stored }
        return record.freshness.isFresh(at: parts.time.wallSeconds) ? .fetched : .revalidated(status: 200)
    }

    private func keep(_ record: OriginRecord, _ body: OriginBody, isStored: Bool) {
        // A file is on a disk already: of it only what is known is kept, beside its variants.
        guard let disk = parts.disk, !request.source.isFolder, request.source.cache.keepOnDisk else { return }
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
        flight.finish(
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
            flight.finish(.failure(.overloaded("too many requests wait for the disk")))
            return
        }
    }
}
