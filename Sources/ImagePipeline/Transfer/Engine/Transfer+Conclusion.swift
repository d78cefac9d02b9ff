import CCurl
import HTTPSemantics

extension Transfer {
    /// What a request that libcurl is done with means for the load.
    func conclude(_ code: CURLcode) -> Conclusion {
        if let failure { return .finished(.failure(failure)) }
        if let refusal, code == CURLE_ABORTED_BY_CALLBACK || !hasSocket {
            return .finished(.failure(.addressRefused(refusal.name)))
        }
        guard head.isComplete else { return .finished(.failure(headFailure(code))) }
        if isRaw {
            // All of it or nothing: a part would be taken for the whole.
            return .finished(code == CURLE_OK ? .success(.exchanged(exchanged)) : .failure(Self.failure(code)))
        }
        switch head.status {
        case 200:
            guard code == CURLE_OK else { return .finished(.failure(Self.failure(code))) }
            return .finished(delivered())
        case 304 where isConditional:
            return .finished(.success(.notModified(fields)))
        case 301, 302, 303, 307, 308:
            return redirected()
        default:
            return .finished(.success(.refused(status: head.status, fields)))
        }
    }

    /// What a load whose deadline has passed means.
    func expire() -> Conclusion {
        // Only the rest of an unwanted body was missing.
        if head.isComplete, head.status != 200, !isRaw, failure == nil { return conclude(CURLE_OPERATION_TIMEDOUT) }
        if phase == .queue { return .finished(.failure(.overloaded(phase.rawValue))) }
        let isTotal = totalDeadline <= phaseDeadline
        return .finished(.failure(.originTimeout(isTotal ? "total" : phase.rawValue)))
    }

    private var fields: OriginFields {
        let last = head.fields(requestTime: requestTime, responseTime: responseTime)
        return ChainFreshness.combine(hops: hops, last: last)
    }

    private var exchanged: RawExchange {
        RawExchange(
            status: head.status,
            fields: head.lines,
            body: content,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }

    private func delivered() -> Result<OriginResponse, PipelineError> {
        do throws(PipelineError) {
            let body: OriginBody
            if let sink {
                body = try sink.finish()
            } else {
                body = try BodySink(limit: source.limits.sourceBytes).finish()
            }
            return .success(.fetched(fields, body))
        } catch {
            return .failure(error)
        }
    }

    private func redirected() -> Conclusion {
        guard let location = head[.location] else {
            return .finished(.failure(.originProtocol("redirect without a location")))
        }
        guard redirects < source.limits.redirects else {
            return .finished(.failure(.originProtocol("too many redirects")))
        }
        do {
            return .redirected(try url.resolving(location))
        } catch {
            return .finished(.failure(.originProtocol("redirect to an unusable URL (\(error.rawValue))")))
        }
    }

    /// Why no head came.
    private func headFailure(_ code: CURLcode) -> PipelineError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST where isForeign && !source.allowPrivate:
            // As for a refused address: an answer must not tell which names of a private network exist.
            .addressRefused(PipelineError.unresolvedRule)
        case CURLE_OUT_OF_MEMORY where phase == .firstByte, Self.tooLarge where phase == .firstByte:
            // libcurl says this of a line over 100 kB, which it does not hand out.
            .originProtocol(ResponseHead.Defect.tooLong.rawValue)
        default: Self.failure(code)
        }
    }

    /// `CURLE_TOO_LARGE`, which libcurl has since 8.6.
    private static let tooLarge = CURLcode(rawValue: 100)

    private static func failure(_ code: CURLcode) -> PipelineError {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .originTimeout("total")
        case CURLE_COULDNT_RESOLVE_HOST: .originUnreachable("the host's name does not resolve")
        case CURLE_COULDNT_CONNECT: .originUnreachable("no connection")
        case CURLE_PEER_FAILED_VERIFICATION: .originUnreachable("the certificate is not trusted")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
            .originUnreachable("the TLS handshake failed")
        case CURLE_SSL_CACERT_BADFILE: .originUnreachable("no certificates to trust")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: .originUnreachable("the connection was lost")
        case CURLE_PARTIAL_FILE: .originProtocol("body shorter than its length")
        case CURLE_GOT_NOTHING, CURLE_OK: .originProtocol("closed without an answer")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .originProtocol("not an HTTP answer")
        case CURLE_BAD_CONTENT_ENCODING: .originProtocol("content coding that cannot be decoded")
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: .originProtocol("HTTP/2 framing")
        case CURLE_OUT_OF_MEMORY: .overloaded("no memory for a transfer")
        default: .originUnreachable("transfer failed (libcurl \(code.rawValue))")
        }
    }
}
