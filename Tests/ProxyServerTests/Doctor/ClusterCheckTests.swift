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
        check.ask = { request in
            time.advance(seconds: seconds)
            if case .get = request.verb { return answer }
            return .success(ObjectResponse(status: Self.status(of: request)))
        }
        return check.findings(RecordedProbe())
    }

    /// The key of the object that is written and removed.
    private static let trial = "doctor-test"

    /// What a store with conditional writes answers to a trial.
    private static func status(of request: ObjectRequest) -> Int {
        if case .delete = request.verb { return 204 }
        return request.condition == nil ? 200 : 412
    }

    /// What a trial of writing finds, with a status in place of 412, and one for the removal and for unconditional writes.
    private func trialFindings(condition: Int = 412, write: Int = 200, removal: Int = 204) throws -> [Finding] {
        let yaml = "cluster: { log: \"redis://h\", store: s3://pics/a/, endpoint: \"http://h\", store-budget: 100ms }"
        let cluster = try load(yaml).cluster
        var check = StoreCheck(try #require(cluster.bucket), cluster)
        check.time = ManualTime()
        check.trial = Self.trial
        check.ask = { request in
            switch Self.status(of: request) {
            case 204: .success(ObjectResponse(status: removal))
            case 412: .success(ObjectResponse(status: condition))
            default:
                if case .get = request.verb {
                    .success(ObjectResponse(status: 404))
                } else {
                    .success(ObjectResponse(status: write))
                }
            }
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
        let engine = StoreEngine.seaweedFS
        let prefix = try SeaweedFS.prefix()
        for (secret, bucket, severities) in [
            (engine.secretKey, engine.bucket, [Finding.Severity.ok, .ok]), ("wrong", engine.bucket, [.failure]),
            (engine.secretKey, "missing-doctor", [.failure]),
        ] {
            let found = try Self.findings(engine, prefix, secret: secret, bucket: bucket)
            #expect(found.map(\.severity) == severities, "\(found)")
        }
        // Again, and with the object of an earlier trial in place.
        #expect(try engine.status(of: prefix + Self.trial) == "404")
        try engine.put(prefix + Self.trial, [1])
        let again = try Self.findings(engine, prefix)
        #expect(again.map(\.severity) == [.ok, .ok] && again[1].message.contains("has conditional writes"), "\(again)")
        #expect(try engine.status(of: prefix + Self.trial) == "404")
    }

    @Test(.enabled(if: OpenStackSwift.isWanted, "OpenStack Swift is not installed, or cannot run here"))
    func `a store without conditional writes is a warning, and its trial object is removed`() throws {
        let prefix = try SeaweedFS.prefix()
        let found = try Self.findings(.swift, prefix)
        #expect(found.map(\.severity) == [.ok, .warning], "\(found)")
        #expect(
            found.last?.message.contains("no conditional writes (status 501 to If-None-Match, 501") == true,
            "\(found)"
        )
        #expect(try StoreEngine.swift.status(of: prefix + Self.trial) == "404")
    }

    /// What the check finds in a real store.
    private static func findings(
        _ engine: StoreEngine,
        _ prefix: String,
        secret: String? = nil,
        bucket: String? = nil
    ) throws -> [Finding] {
        let yaml = """
            cluster:
              log: "redis://h"
              store: s3://\(bucket ?? engine.bucket)/\(prefix)
              endpoint: "\(try engine.endpoint)"
              access-key: "\(engine.accessKey)"
              secret-key: "\(secret ?? engine.secretKey)"
              store-budget: 60s
            """
        let cluster = try load(yaml).cluster
        var check = StoreCheck(try #require(cluster.bucket), cluster)
        check.trial = trial
        return check.findings(RecordedProbe())
    }

    @Test func `tells stores that refuse writes, ignore conditions or keep what is removed`() throws {
        #expect(try trialFindings().map(\.severity) == [.ok, .ok])
        for (found, severities, words) in try [
            (trialFindings(condition: 501), [.ok, .warning], "status 501 to If-None-Match"),
            (trialFindings(condition: 200), [.ok, .warning], "the one with the older may win"),
            (trialFindings(write: 403), [.ok, .failure], "refuses writes (status 403)"),
            (trialFindings(removal: 403), [.ok, .ok, .warning], "'doctor-test', stays"),
            (trialFindings(write: 403, removal: 403), [.ok, .failure], "refuses writes (status 403)"),
            (trialFindings(removal: 404), [.ok, .ok], "has conditional writes"),
        ] as [([Finding], [Finding.Severity], String)] {
            #expect(found.map(\.severity) == severities && found.last?.message.contains(words) == true, "\(found)")
        }
    }

    @Test func `tells slow stores from missing and refusing ones`() throws {
        #expect(try storeFindings(.success(ObjectResponse(status: 404))).map(\.severity) == [.ok, .ok])
        let slow = try storeFindings(.success(ObjectResponse(status: 404)), taking: 1)
        #expect(slow.map(\.severity) == [.warning, .ok] && slow[0].message.contains("1000 ms"), "\(slow)")
        for (answer, words) in [
            (.success(ObjectResponse(status: 403)), "refuses access"), (.success(ObjectResponse(status: 500)), "500"),
            (.failure(.broken("refused")), "refused"), (.failure(.slow), "no answer"),
        ] as [(Result<ObjectResponse, ObjectFailure>, String)] {
            let found = try storeFindings(answer)
            #expect(found.map(\.severity) == [.failure] && found[0].message.contains(words), "\(found)")
        }
    }
}
