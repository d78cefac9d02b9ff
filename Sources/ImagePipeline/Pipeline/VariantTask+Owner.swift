import HTTPCache
import HTTPSemantics
import LinuxSystem
import OriginTransfer

/// A variant from the node that owns the original.
extension VariantTask {
    /// Asks the owner of the original, or makes the variant here.
    func askForOriginal() {
        if !asksOwner() { makeHere() }
    }

    /// Asks the owner for the variant, before this node makes it.
    ///
    /// Only for what a client of this node has requested: the owner's requests, refreshes, warming, and requests with directives
    /// of their own are answered here. So are responses for one client alone, and everything while this node is out of touch: the owner
    /// may lack the purges of a second, and this node has heard of none for longer than that.
    ///
    /// - Returns: false if nobody is asked.
    private func asksOwner() -> Bool {
        guard let owners = parts.owners, parts.progress.trustsUnvalidated, let question = context.question,
            context.demand == .none,
            !context.isRefresh, !context.isWarming, !context.waitsForStore, !context.isProbe,
            request.origin.cookie == nil, !holdsOriginal, !flight.isOver
        else { return false }
        let number = begin()
        let stamp = parts.progress.stamp.secondHand
        let handle = owners.ask(request, question, currentContext) { [self] reply in
            guard case .variant(let variant, let body) = reply else { return take(reply) }
            // Reading and hashing the bytes would hold up other transfers.
            if !parts.readLane.submit({ self.take(variant, body, stamp, owners) }) { makeHere() }
        }
        guard let handle else { return false }
        flight.enter(.original)
        remember(number) {
            handle.cancel()
        } follow: {
            handle.waitersChanged()
        }
        return true
    }

    /// Whether this node has the bytes that are requested: a fresh bare original.
    private var holdsOriginal: Bool {
        request.plan == nil
            && OriginalStore.find(request.origin, in: parts)?.original?.state.isFresh(at: parts.time.wallSeconds)
                == true
    }

    private func take(_ reply: OwnerReply) {
        if case .failure(let error) = reply { return end(.failure(.after(.owner, error))) }
        guard !context.deadline.isPast(at: parts.time.monotonic) else {
            return end(.failure(.overloaded("the original's owner has not answered in time")))
        }
        makeHere()
    }

    private func take(_ variant: OwnedVariant, _ body: OriginBody, _ stamp: PurgeStamp, _ owners: any OwnerAsking) {
        guard !flight.isOver else { return }
        let description = variant.description
        guard body.digest == description.digest, body.length == description.length else { return makeHere() }
        let isShort = body.length <= parts.memoryObject
        let bytes = isShort ? body.file.read(count: body.length) : nil
        guard bytes != nil || !isShort else { return makeHere() }
        let origin = variant.origin(
            of: request,
            keptFor: owners.keeps,
            at: parts.time.wallSeconds,
            stamp: stamp,
            progress: parts.progress
        )
        let entity = parts.entity(
            key: request.key,
            description: description,
            body: bytes.map { .memory($0) } ?? .file(body.file, length: body.length),
            origin: origin,
            isHotCopy: true,
            storable: variant.isKept && owners.keeps > 0 && tiers.keepInMemory && parts.tiers.fillsMemory,
            of: flight
        )
        end(.success(Answer(entity: entity, status: .owner)))
    }
}
