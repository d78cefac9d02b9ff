import LinuxSystem
import OriginTransfer

/// Checks that the store that nodes share can be reached, and answers with the configured keys within its budget.
struct StoreCheck: DoctorCheck {
    /// What the store answers to a request for an object that does not exist.
    var ask: @Sendable () throws(Errno) -> Result<ObjectResponse, ObjectFailure>
    var time: any TimeSource = SystemTime()
    private let name: String
    private let budget: Int

    init(_ bucket: ObjectBucket, _ configuration: Configuration.Cluster) {
        name = "s3://\(bucket.name)/\(bucket.prefix)"
        budget = configuration.storeBudget
        let credentials = configuration.credentials
        ask = { () throws(Errno) in
            let client = try ObjectClient(
                bucket,
                credentials: credentials,
                maximum: 1,
                name: "doctor",
                time: SystemTime()
            )
            defer { client.close() }
            return client.perform(ObjectRequest(.get, "m/none", patience: ObjectRequest.Patience(firstByte: 5_000)))
        }
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let subject = "shared store"
        let start = time.monotonic
        do throws(Errno) {
            switch try ask() {
            case .success(let response) where String(decoding: response.bytes, as: UTF8.self).contains("NoSuchBucket"):
                return [
                    .failure(subject, "\(name): there is no such bucket", fix: "create it, or correct cluster.store")
                ]
            case .success(let response) where response.status == 404 || response.status == 200:
                let milliseconds = Int((time.monotonic - start) / 1_000_000)
                guard milliseconds <= budget else {
                    let message = "\(name) took \(milliseconds) ms to answer, including the connection"
                    return [.warning(subject, message, fix: "raise cluster.store-budget, or use a store nearby")]
                }
                return [.ok(subject, "\(name) answers in \(milliseconds) ms")]
            case .success(let response) where response.status == 403 || response.status == 401:
                let fix = "allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket to cluster.access-key"
                return [.failure(subject, "\(name) refuses access (status \(response.status))", fix: fix)]
            case .success(let response):
                return [
                    .failure(subject, "\(name) answers with status \(response.status)", fix: "check cluster.endpoint")
                ]
            case .failure(let failure):
                let reason = if case .broken(let reason) = failure { reason } else { "no answer within 5 s" }
                return [.failure(subject, "\(name): \(reason)", fix: "check cluster.endpoint and the network")]
            }
        } catch {
            return [.failure(subject, "\(name): \(error)", fix: "check cluster.endpoint and the network")]
        }
    }
}
