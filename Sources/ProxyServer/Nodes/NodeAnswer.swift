import HTTPKit
import HTTPSemantics
import ImagePipeline

/// Responses to nodes.
enum NodeAnswer {
    /// The refusal of a request that another node must answer itself (RFC 9110 §15.5.20).
    static let refusal = Problem(421, "This node cannot answer for another one.").ofSource
    /// The refusal of a request that claims to come from a node, and does not for all this one knows: it would do the work twice.
    static let strange = Problem(421, "Edgeprint-Node does not have the token and address of a node.").ofSource

    /// The complete variant, with its description.
    static func response(_ entity: Entity, _ status: CacheStatus, now: Int64) -> Response {
        // Clients of the other node must not keep a substitute for longer than clients of this one.
        let substitute = entity.description.standIn.map { standIn in
            ExpiringAnswer.cacheControl(
                entity.description.cacheControl,
                lifetime: entity.description.advertisedLifetime,
                secondsLeft: standIn.lifetime,
                age: entity.age(at: now)
            )
        }
        let variant = OwnedVariant(entity, cacheControl: substitute, at: now)
        var block = FieldBlock()
        block.append(NodeFields.variant, variant.encoded.hexText)
        return EntityResponse.whole(
            entity,
            dynamic: CacheStatusFields.field(status) + block.bytes,
            age: entity.age(at: now),
            tag: RequestResult(status).tag
        )
    }

    /// A failure, which the other node passes on if it would meet it, too.
    static func response(_ error: PipelineError, _ problem: Problem, id: String) -> Response {
        var response = Response(problem, id: id)
        var block = FieldBlock()
        if let text = error.passedOn { block.append(NodeFields.failure, text) }
        response.dynamicFields += block.bytes
        return error.isOverload ? response.tagged(AnswerTag.shed) : response
    }
}
