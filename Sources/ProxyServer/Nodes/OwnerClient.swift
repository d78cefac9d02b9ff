import Cluster
import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import Synchronization

/// What this node knows of the cluster's purge log; any thread.
struct ClusterProgress: Hashable, Sendable {
    /// The last entry that has been applied.
    var sequence: UInt64 = 0
    /// Which log it is in, since sequences of different logs do not compare; empty for none.
    var log = ""
    /// Whether no later entry can have been missed.
    var isInTouch = true
}

/// Asks the owners of originals over their public listeners.
final class OwnerClient: OwnerAsking {
    /// Counts of questions, for metrics.
    struct Statistics: Hashable, Sendable {
        /// Questions that were sent.
        var asked = 0
        /// Those that the owner has answered with a variant, or with a failure that it passed on.
        var answered = 0
        /// Those that the owner has refused (421): it has applied fewer purges, or the configurations differ.
        var refused = 0
        /// Those without a usable answer.
        var failed = 0
    }

    /// Connections to one node.
    private static let connections = 64
    /// Maximum bytes of an answer.
    private static let largest = 4 << 30

    let keeps: Int64
    private let nodes: NodeTable
    private let transfers: any TransferLoading
    private let settings: Configuration.Cluster
    private let time: any TimeSource
    private let progress: @Sendable () -> ClusterProgress
    private let counts = Lock(Statistics())

    /// - Parameters:
    ///   - transfers: an engine of its own: nodes that wait for one another in the queue of downloads could all wait for ever.
    ///   - progress: what is known of the purge log.
    init(
        nodes: NodeTable,
        transfers: any TransferLoading,
        settings: Configuration.Cluster,
        time: any TimeSource,
        progress: @escaping @Sendable () -> ClusterProgress
    ) {
        self.nodes = nodes
        self.transfers = transfers
        self.settings = settings
        self.time = time
        self.progress = progress
        keeps = Int64(settings.hot / 1000)
    }

    var statistics: Statistics { counts.withLock { $0 } }

    /// Whether another node owns the original of a variant.
    func asks(for request: VariantRequest) -> Bool { !nodes.owns(request.origin.key.words.0) }

    func ask(
        _ request: VariantRequest,
        _ question: OwnerQuestion,
        _ context: LoadContext,
        completion: @escaping @Sendable (OwnerReply) -> Void
    ) -> (any LoadHandle)? {
        guard let contact = nodes.owner(of: request.origin.key.words.0) else { return nil }
        let node = contact.node
        // The strict parser may refuse or change what the server accepts. A signature covers the target's spelling.
        guard let url = try? OriginURL(asGiven: "http://\(node)\(question.target)"),
            url.requestTarget == question.target
        else {
            nodes.ended(contact, hasAnswered: nil)
            return nil
        }
        var transfer = TransferRequest(.url(url), options: options(for: node, request, question, context))
        transfer.priority = context.priority
        transfer.account = context.account
        transfer.claims = context.claims
        transfer.caller = context.caller
        transfer.deadline = context.deadline.nanoseconds
        transfer.patience = patience(within: transfer.options.timeouts)
        counts.withLock { $0.asked += 1 }
        return transfers.load(transfer) { [self] result in
            nodes.ended(contact, hasAnswered: Self.hasAnswered(result))
            completion(reply(result))
        }
    }

    private func options(
        for node: NodeAddress,
        _ request: VariantRequest,
        _ question: OwnerQuestion,
        _ context: LoadContext
    ) -> TransferOptions {
        var options = TransferOptions(source: "cluster")
        options.allowPrivate = true
        options.interface = nodes.ownAddress(toward: node).map { .address($0.text) }
        options.connections = Self.connections
        options.limits = TransferLimits(bytes: Self.largest, redirects: 0, retries: 0)
        let left = context.deadline.nanoseconds.map { Int(clamping: ($0 - time.monotonic) / 1_000_000) } ?? .max
        let total = max(1, min(left, 3_600_000))
        options.timeouts = TransferTimeouts(connect: settings.askTimeout, firstByte: settings.askTimeout, total: total)
        // An owner of an earlier release says only once that it is at work. This leaves this node time to make the image itself.
        options.timeouts.afterInterim = max(1, total / 2)
        // Meanwhile the connection tells whether the owner's machine is alive.
        options.timeouts.silence = 2 * settings.askTimeout
        let known = progress()
        options.headers =
            question.fields + [
                HeaderField(name: NodeFields.token, value: settings.token.value),
                HeaderField(name: NodeFields.key, value: request.key.description),
                HeaderField(name: NodeFields.sequence, value: "\(known.sequence)"),
                HeaderField(name: NodeFields.log, value: known.log),
                HeaderField(name: NodeFields.priority, value: "\(context.priority.rawValue)"),
            ]
        if let account = context.account {
            options.headers.append(HeaderField(name: NodeFields.account, value: account))
        }
        return options
    }

    /// How long to wait after an interim response that states when the next one comes: at most as long as after another one.
    private func patience(within timeouts: TransferTimeouts) -> @Sendable (InterimResponse) -> Int? {
        let (shortest, longest) = (2 * settings.askTimeout, timeouts.afterInterim ?? .max)
        return { interim in
            guard let text = interim.fields[NodeFields.interval.lowercased()], let interval = Int(text),
                (1...3_600_000).contains(interval)
            else { return nil }
            return min(longest, max(shortest, NodeHeartbeat.patience(interval)))
        }
    }

    /// Whether the node has answered; `nil` if the transfer says nothing about it.
    private static func hasAnswered(_ result: Result<TransferResponse, TransferError>) -> Bool? {
        switch result {
        case .success: true
        // It has confirmed the request, but the origin or the transform takes long. A process that has stopped confirms no further one.
        case .failure(.timeout("total")), .failure(.timeout("response after an interim one")): nil
        case .failure(.unreachable), .failure(.timeout), .failure(.violation): false
        case .failure: nil
        }
    }

    private func reply(_ result: Result<TransferResponse, TransferError>) -> OwnerReply {
        guard case .success(let response) = result else { return count(\.failed, .declined) }
        let fields = response.head.fields
        switch (response.head.status, response.body) {
        case (200, .file(let body)):
            guard let text = fields[NodeFields.variant.lowercased()], let bytes = [UInt8](hexadecimal: text),
                let variant = OwnedVariant(encoded: bytes), let digest = CacheKey(bytes: body.digest.bytes)
            else { return count(\.failed, .declined) }
            return count(
                \.answered,
                .variant(variant, OriginBody(file: body.file, length: body.length, digest: digest))
            )
        case (421, _): return count(\.refused, .declined)
        default:
            guard let error = fields[NodeFields.failure.lowercased()].flatMap({ PipelineError(passedOn: $0) }) else {
                return count(\.failed, .declined)
            }
            return count(\.answered, .failure(error))
        }
    }

    private func count(_ path: WritableKeyPath<Statistics, Int>, _ reply: OwnerReply) -> OwnerReply {
        counts.withLock { $0[keyPath: path] += 1 }
        return reply
    }
}
