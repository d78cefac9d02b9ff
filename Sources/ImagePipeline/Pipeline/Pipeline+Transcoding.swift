import HTTPCache

extension Pipeline {
    /// Queues the JPEG XL of a bare original that is requested while it is stored, unless it cannot be made; any thread.
    func transcode(_ entity: Entity, for request: VariantRequest) {
        guard TranscodingTask.isDue(entity, request, in: parts),
            !failedTranscodings.contains(TranscodingTask.failureKey(of: request, entity.originDigest))
        else { return }
        let statistics = parts.recompressions
        background.offer(.transcoding, for: request, dropped: { statistics.note(.dropped) }) { [weak self] flight in
            guard let self else { return flight.finish(.failure(.cancelled)) }
            TranscodingTask(
                entity,
                for: request,
                parts: parts,
                originals: originals,
                failed: failedTranscodings,
                flight: flight,
                background: background
            )
            .start()
        }
    }
}
