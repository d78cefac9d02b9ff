import Cluster
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// What `edgeprint doctor` says of the log of purges and the shared store: real engines, and recorded answers.
@Suite(.timeLimit(.minutes(2)))
struct ClusterCheckTests {
    private func storeFindings(
        _ answer: Result<ObjectResponse, ObjectFailure>,
        taking seconds: Int64 = 0
    ) throws -> [Finding] {
        let yaml = "cluster: { log: \"redis://h\", store: s3://pics/a/, endpoint: \"http://h\", store-budget: 100ms }"
        let cluster = try load(yaml).cluster
        var check = StoreCheck(try #require(cluster.bucket), cluster)
        let time = ManualTime()
        check.time = time
        check.ask = {
            time.advance(seconds: seconds)
            return answer
        }
        return check.findings(RecordedProbe())
    }

    @Test(.enabled(if: RedisServer.isEnabled, "Valkey or Redis is not installed"))
    func `a log that answers is fine, and one that is gone is not`() throws {
        let engine = try RedisServer()
        let location = try LogLocation("\(engine.location)")
        let check = ClusterCheck(location: location, name: "edgeprint")
        let found = check.findings(RecordedProbe())
        #expect(found.map(\.severity) == [.ok], "\(found)")
        engine.kill()
        let lost = check.findings(RecordedProbe())
        #expect(lost.map(\.severity) == [.failure] && lost[0].fix?.contains("start Redis") == true, "\(lost)")
    }

    @Test(.enabled(if: SeaweedFS.isWanted, "SeaweedFS is not installed"))
    func `a store that answers is fine, one with other keys refuses, and a missing bucket is told`() throws {
        let endpoint = try SeaweedFS.shared().endpoint
        for (secret, bucket, severity) in [
            (SeaweedFS.secretKey, SeaweedFS.bucket, Finding.Severity.ok), ("wrong", SeaweedFS.bucket, .failure),
            (SeaweedFS.secretKey, "missing-doctor", .failure),
        ] {
            let yaml = """
                cluster:
                  log: "redis://h"
                  store: s3://\(bucket)/
                  endpoint: "\(endpoint)"
                  access-key: \(SeaweedFS.accessKey)
                  secret-key: \(secret)
                  store-budget: 60s
                """
            let cluster = try load(yaml).cluster
            let found = StoreCheck(try #require(cluster.bucket), cluster).findings(RecordedProbe())
            #expect(found.map(\.severity) == [severity], "\(found)")
        }
    }

    @Test func `tells slow stores from missing and refusing ones`() throws {
        #expect(try storeFindings(.success(ObjectResponse(status: 404))).map(\.severity) == [.ok])
        let slow = try storeFindings(.success(ObjectResponse(status: 404)), taking: 1)
        #expect(slow.map(\.severity) == [.warning] && slow[0].message.contains("1000 ms"), "\(slow)")
        for (answer, words) in [
            (.success(ObjectResponse(status: 403)), "refuses access"), (.success(ObjectResponse(status: 500)), "500"),
            (.failure(.broken("refused")), "refused"), (.failure(.slow), "no answer"),
        ] as [(Result<ObjectResponse, ObjectFailure>, String)] {
            let found = try storeFindings(answer)
            #expect(found.map(\.severity) == [.failure] && found[0].message.contains(words), "\(found)")
        }
    }
}
