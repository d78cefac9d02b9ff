import CCurl
import HTTPSemantics

/// A response whose body was cut off, and what must hold for the rest of it.
struct TransferResumption {
    let head: ResponseHead
    let requestTime: Int64
    let responseTime: Int64
    let headTime: Int64
    let validator: StrongValidator
    /// The value of `If-Range`.
    let condition: String
    /// Why the body was cut off.
    let failure: TransferError
}

/// Resumes the body of a response that was cut off: the rest is requested with `Range` and `If-Range`, and continues the same file
/// and digest (RFC 9110 §13.1.5, §14.2).
extension Transfer {
    /// Whether a body has been cut off whose rest can be requested: the response has a strong validator, and its bytes are those
    /// of the representation.
    ///
    /// - Returns: whether `resumption` is set.
    func prepareResumption(after fault: Fault, _ result: Result<TransferResponse, TransferError>) -> Bool {
        guard fault == .cut, case .failure(let failure) = result, received > 0, !isEndless,
            head.lines["accept-ranges"]?.lowercased() != "none", hasPlainBody,
            let validator = StrongValidator(head.lines, now: responseTime),
            let condition = head.lines[validator.isEntityTag ? "etag" : "last-modified"]
        else { return false }
        resumption = TransferResumption(
            head: head,
            requestTime: requestTime,
            responseTime: responseTime,
            headTime: headTime,
            validator: validator,
            condition: condition,
            failure: failure
        )
        return true
    }

    /// Whether the received bytes are those of the selected representation, from its first one.
    private var hasPlainBody: Bool {
        if let exchange = ticket.request.exchange {
            return exchange.method == "GET" && exchange.body.isEmpty && !exchange.fields.contains("range")
        }
        // libcurl decodes codings.
        return head.lines["content-encoding"].map { $0.lowercased() == "identity" } ?? true
    }

    /// The request's fields for the rest of the body; empty for a whole one.
    var rangeFields: [(name: String, value: String)] {
        guard let resumption else { return [] }
        return [("Range", "bytes=\(received)-"), ("If-Range", resumption.condition)]
    }

    /// The exchange to send; the rest of a body is requested without the conditions of the whole.
    var currentExchange: TransferRequest.Exchange? {
        guard var exchange = ticket.request.exchange, resumption != nil else { return ticket.request.exchange }
        exchange.fields.remove(["if-none-match", "if-modified-since", "if-range"])
        for field in rangeFields { exchange.fields.append(field.name, field.value) }
        return exchange
    }

    /// Prepares the request for the rest.
    func prepareRest() {
        attempts.repetitions += 1
        countedBytes = received
        resetRequest()
    }

    /// Continues the body with the response whose head has arrived.
    ///
    /// - Returns: whether the response is the rest of the body; a 200 is a new one, which is received as such, and anything else
    ///   fails the load with the reason for which the body was cut off.
    func continueBody(_ resumption: TransferResumption) -> Bool {
        self.resumption = nil
        if head.status == 200, growing == nil {
            forgetBody()
            return false
        }
        guard let length = restLength(resumption) else {
            failure = resumption.failure
            return true
        }
        wholeLength = length
        (head, headTime) = (resumption.head, resumption.headTime)
        (requestTime, responseTime) = (resumption.requestTime, resumption.responseTime)
        resumptions += 1
        return true
    }

    /// The length of the whole body, if the response is the rest of it.
    private func restLength(_ resumption: TransferResumption) -> Int? {
        guard head.status == 206, let part = head.lines["content-range"].flatMap({ ContentRange($0) }),
            part.range.lowerBound == received, part.range.upperBound == part.length,
            head.contentLength.map({ $0 == part.range.count }) ?? true,
            bodyLength.map({ $0 == part.length }) ?? true,
            isPassedOn || part.length <= codedLimit,
            isRaw || !head.lines.contains("content-encoding"),
            StrongValidator(head.lines, now: responseTime) == resumption.validator
        else { return nil }
        return part.length
    }
}
