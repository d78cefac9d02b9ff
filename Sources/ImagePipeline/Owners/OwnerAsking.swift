package import HTTPCache
package import OriginTransfer

/// Asks the nodes that own originals for variants, so that each original is downloaded once in a cluster.
package protocol OwnerAsking: Sendable {
    /// The longest time for which an answer is kept, in seconds.
    var keeps: Int64 { get }

    /// Asks the owner of a variant's original; any thread, returns immediately.
    ///
    /// - Parameter completion: called once on the transfer thread, also after a cancellation; must not block.
    /// - Returns: `nil` if this node is to answer itself; the completion is not called then.
    func ask(
        _ request: VariantRequest,
        _ question: OwnerQuestion,
        _ context: LoadContext,
        completion: @escaping @Sendable (OwnerReply) -> Void
    ) -> (any LoadHandle)?
}

/// The result of a question to an owner.
package enum OwnerReply: Sendable {
    /// The variant; its bytes are not verified yet.
    case variant(OwnedVariant, OriginBody)
    /// The original, or the work on it, has failed, and would fail here as well.
    case failure(PipelineError)
    /// The owner does not answer, or not this question: this node answers itself.
    case declined
}
