import Glibc
import TestSupport
import Testing

/// Purges of several daemons that share a log in a real Valkey.
@Suite(.timeLimit(.minutes(3)), .enabled(if: RedisServer.isEnabled, "Valkey or Redis is not installed"))
struct ClusterRequestTests {
    private let target = "/photos/cat.png"

    @Test func `a purge on one node removes what all nodes hold`() throws {
        let rig = try ClusterRig()
        for path in [target, "/raw/cat.png"] {
            for index in rig.nodes.indices {
                #expect(try rig.get(path, from: index).body == ClusterRig.image(1))
            }
        }
        rig.version = 2
        for path in [target, "/raw/cat.png"] {
            let answer = try rig.purge(path + "?wait=all", on: 0)
            #expect(answer.status == 200 && answer.text.contains(#""applied":"all""#), "\(answer.text)")
            #expect(answer.text.contains(#""silent":[]"#) && answer.text.contains(#""sequence":"#))
            for index in rig.nodes.indices {
                #expect(try rig.get(path, from: index).body == ClusterRig.image(2), "\(path) from \(index)")
            }
        }
        // By tag, from the other node, softly, and without waiting: the answer states where the purge was applied.
        rig.version = 3
        let answer = try rig.post(#"{"tag":"cats","soft":true}"#, to: 1)
        #expect(answer.status == 200 && answer.text.contains(#""applied":"log""#), "\(answer.text)")
        #expect(try rig.get(target, from: 1).body == ClusterRig.image(3))
        try rig.waitUntil(0, serves: 3)
    }

    @Test func `dry purges and those of a tier do not enter the log`() throws {
        let rig = try ClusterRig(1)
        let before = try rig.metric("edgeprint_cluster_log_head", of: 0)
        let dry = try rig.post(#"{"url":"/photos/cat.png","dry":true}"#, to: 0)
        #expect(dry.status == 200 && !dry.text.contains("applied"))
        let tier = try rig.post(#"{"tier":"memory"}"#, to: 0)
        #expect(tier.status == 200 && !tier.text.contains("applied"))
        #expect(try rig.post(#"{"all":true}"#, to: 0).status == 200)
        // That of all is the only one.
        try waitWhile(rig.metric("edgeprint_cluster_log_head", of: 0) == before)
        #expect(try rig.metric("edgeprint_cluster_log_head", of: 0) == before.map { $0 + 1 })
        for body in [#"{"all":true,"wait":"one"}"#, #"{"all":true,"wait":"all","dry":true}"#] {
            let refused = try rig.post(body, to: 0)
            #expect(refused.status == 400 && refused.text.contains(#""parameter":"wait""#), "\(refused.text)")
        }
    }

    @Test func `without the log, hits are revalidated, and a purge says that it is local`() throws {
        let rig = try ClusterRig()
        for index in rig.nodes.indices { _ = try rig.get(target, from: index) }
        rig.log.kill()
        for index in rig.nodes.indices { try rig.waitUntil(index, isInTouch: false) }
        let answer = try rig.get(target, from: 0)
        #expect(answer.status == 200 && answer.body == ClusterRig.image(1))
        rig.version = 2
        let purge = try rig.purge(target, on: 0)
        #expect(purge.status == 503 && purge.text.contains(#""applied":"local""#), "\(purge.text)")
        #expect(purge["Retry-After"] == "1")
        #expect(try rig.get(target, from: 0).body == ClusterRig.image(2))
        // The other node knows nothing of the purge, but has everything validated that is older than a second.
        try rig.waitUntil(1, serves: 2)
        let ready = try RawHTTPClient(port: rig.nodes[1].admin).get("/readyz")
        #expect(ready.status == 200 && ready.text.contains(#""cluster":"out of touch""#))
        try rig.log.start()
        for index in rig.nodes.indices { try rig.waitUntil(index, isInTouch: true) }
        #expect(try rig.purge(target + "?wait=all", on: 1).status == 200)
    }

    @Test func `the event log says once that the log is out of reach, and why`() throws {
        let rig = try ClusterRig(1)
        let node = rig.nodes[0]
        rig.log.kill()
        try node.waitForLog("out of touch with the log of purges")
        let errors = try rig.metric("edgeprint_cluster_log_errors_total", of: 0) ?? 0
        try waitWhile(rig.metric("edgeprint_cluster_log_errors_total", of: 0) ?? 0 < errors + 2)
        try rig.log.start()
        try rig.waitUntil(0, isInTouch: true)
        let lines = node.logText.split(separator: "\n").filter { $0.contains("out of touch with the log of purges") }
        #expect(lines.count == 1 && lines[0].contains("the log cannot be reached"), "\(lines)")
    }

    @Test func `a node that was away applies what it has missed`() throws {
        let rig = try ClusterRig()
        for index in rig.nodes.indices { _ = try rig.get(target, from: index) }
        try waitWhile(rig.metric("edgeprint_disk_stores_total", of: 1) != 1)
        rig.nodes[1].killNow()
        rig.version = 2
        #expect(try rig.purge(target, on: 0).status == 200)
        try rig.restart(1)
        #expect(try rig.get(target, from: 1).body == ClusterRig.image(2))
        try rig.waitUntil(1, isInTouch: true)
        #expect(try rig.get(target, from: 1).body == ClusterRig.image(2))
    }

    @Test func `waiting for all nodes names those that are silent`() throws {
        let rig = try ClusterRig()
        for index in rig.nodes.indices { _ = try rig.get(target, from: index) }
        rig.nodes[1].signal(SIGSTOP)
        rig.version = 2
        let answer = try rig.purge(target + "?wait=all", on: 0)
        #expect(answer.status == 200 && answer.text.contains(#""applied":"all""#), "\(answer.text)")
        #expect(!answer.text.contains(#""silent":[]"#), "\(answer.text)")
        rig.nodes[1].signal(SIGCONT)
        #expect(try rig.get(target, from: 1).body == ClusterRig.image(2))
    }

    @Test func `out-of-touch: fail and serve`() throws {
        let failing = try ClusterRig(1, cluster: ", out-of-touch: fail")
        let serving = try ClusterRig(1, cluster: ", out-of-touch: serve")
        for rig in [failing, serving] {
            _ = try rig.get(target, from: 0)
            rig.log.kill()
            try rig.waitUntil(0, isInTouch: false)
        }
        let refused = try failing.get(target, from: 0)
        #expect(refused.status == 503 && refused["Retry-After"] != nil, "\(refused)")
        let served = try serving.get(target, from: 0)
        #expect(served.status == 200 && served["Cache-Status"]?.hasPrefix("edgeprint; hit") == true, "\(served)")
        #expect(serving.origin.requests == 1)
    }
}
