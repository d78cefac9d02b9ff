import LinuxSystem
import OriginTransfer

/// Checks that the store that nodes share can be reached, answers with the configured keys within its budget, and takes writes on
/// conditions and removals, which it tries with an object of its own.
struct StoreCheck: DoctorCheck {
    /// The key of the object that is written and removed, below the prefix of the store.
    var trial = "doctor-" + String(UInt64.random(in: .min ... .max), radix: 16)

    /// Sends a request to the store.
    var ask: @Sendable (ObjectRequest) throws(Errno) -> Result<ObjectResponse, ObjectFailure>
    var time: any TimeSource = SystemTime()
    private let subject = "shared store"
    private let name: String
    private let budget: Int

    init(_ bucket: ObjectBucket, _ configuration: Configuration.Cluster) {
        name = "s3://\(bucket.name)/\(bucket.prefix)"
        budget = configuration.storeBudget
        let credentials = configuration.credentials
        ask = { request throws(Errno) in
            let client = try ObjectClient(
                bucket,
                credentials: credentials,
                maximum: 1,
                name: "doctor",
                time: SystemTime()
            )
            defer { client.close() }
            return client.perform(request)
        }
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let start = time.monotonic
        do throws(Errno) {
            switch try ask(request(.get, "m/none")) {
            case .success(let response) where String(decoding: response.bytes, as: UTF8.self).contains("NoSuchBucket"):
                return [
                    .failure(subject, "\(name): there is no such bucket", fix: "create it, or correct cluster.store")
                ]
            case .success(let response) where response.status == 404 || response.status == 200:
                let milliseconds = Int((time.monotonic - start) / 1_000_000)
                return try [speed(milliseconds)] + writing()
            case .success(let response) where response.status == 403 || response.status == 401:
                return [refusal("refuses access", response.status)]
            case .success(let response):
                return [
                    .failure(subject, "\(name) answers with status \(response.status)", fix: "check cluster.endpoint")
                ]
            case .failure(let failure): return [broken(failure)]
            }
        } catch {
            return [.failure(subject, "\(name): \(error)", fix: "check cluster.endpoint and the network")]
        }
    }

    private func speed(_ milliseconds: Int) -> Finding {
        guard milliseconds <= budget else {
            let message = "\(name) took \(milliseconds) ms to answer, including the connection"
            return .warning(subject, message, fix: "raise cluster.store-budget, or use a store nearby")
        }
        return .ok(subject, "\(name) answers in \(milliseconds) ms")
    }

    /// Writes the trial object twice if it is absent, and once if it is another one than it is; then removes it.
    private func writing() throws(Errno) -> [Finding] {
        var findings: [Finding] = []
        var answers: [ObjectResponse] = []
        // The third one only proves that writing is permitted; the others may be refused because of their conditions.
        for condition in [.isAbsent, .isAbsent, nil, .matches("\"none\"")] as [ObjectRequest.Condition?] {
            switch try ask(request(.put(.bytes(Array("edgeprint doctor\n".utf8))), trial, if: condition)) {
            case .success(let response): answers.append(response)
            case .failure(let failure): return [broken(failure)]
            }
        }
        let (created, written, replaced) = (answers[1].status, answers[2].status, answers[3].status)
        if written / 100 != 2 {
            return [refusal("refuses writes", written)]
        } else if (created, replaced) == (412, 412) {
            findings.append(.ok(subject, "\(name) has conditional writes"))
        } else {
            let message = """
                \(name) has no conditional writes (status \(created) to If-None-Match, \(replaced) to If-Match): originals that are \
                there may be uploaded again, and of two nodes that write a record at once, the one with the older may win
                """
            let fix = "nothing wrong is served; to spare the uploads, use a store with conditional writes"
            findings.append(.warning(subject, message, fix: fix))
        }
        switch try ask(request(.delete, trial)) {
        case .success(let response) where response.status / 100 == 2 || response.status == 404: break
        case .success(let response):
            let message = """
                \(name) refuses to remove objects (status \(response.status)): damaged ones are not written again, and the object of \
                this trial, '\(trial)', stays
                """
            findings.append(.warning(subject, message, fix: "allow s3:DeleteObject to cluster.access-key"))
        case .failure(let failure): findings.append(broken(failure))
        }
        return findings
    }

    private func refusal(_ verb: String, _ status: Int) -> Finding {
        let fix = "allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket to cluster.access-key"
        return .failure(subject, "\(name) \(verb) (status \(status))", fix: fix)
    }

    private func broken(_ failure: ObjectFailure) -> Finding {
        let reason = if case .broken(let reason) = failure { reason } else { "no answer within 5 s" }
        return .failure(subject, "\(name): \(reason)", fix: "check cluster.endpoint and the network")
    }

    private func request(
        _ verb: ObjectRequest.Verb,
        _ key: String,
        if condition: ObjectRequest.Condition? = nil
    ) -> ObjectRequest {
        ObjectRequest(verb, key, if: condition, patience: ObjectRequest.Patience(firstByte: 5_000))
    }
}
