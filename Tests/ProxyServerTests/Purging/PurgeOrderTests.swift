import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct PurgeOrderTests {
    @Test(arguments: [
        ("/raw/x?wait=all", true, "/raw/x", true), ("/raw/x?a=1&wait=all", true, "/raw/x?a=1", true),
        ("/raw/x?wait=all", false, "/raw/x?wait=all", false), ("/raw/x?wait=5", true, "/raw/x?wait=5", false),
        ("/raw/x?wait=all&a=1", true, "/raw/x?wait=all&a=1", false),
    ])
    func `wait=all at the end of a query is an option in a cluster`(
        sent: String,
        isInCluster: Bool,
        target: String,
        waits: Bool
    ) throws {
        let order = try PurgeOrder(target: sent, fields: PurgeFields(), body: [], isInCluster: isInCluster)
        #expect(order.target == .url(target) && order.waitsForAll == waits)
    }

    private func order(_ json: String) throws(Problem) -> PurgeOrder { try PurgeOrder(json: Array(json.utf8)) }

    @Test func `reads one target`() throws {
        #expect(try order(#"{"url":"/photos/a.jpg"}"#) == PurgeOrder(target: .url("/photos/a.jpg")))
        #expect(try order(#"{"source":"photos","dry":true}"#) == PurgeOrder(target: .source("photos"), isDry: true))
        #expect(try order(#"{"all":true,"dry":false}"#) == PurgeOrder(target: .all))
        #expect(try order(#"{"prefix":"/a/","soft":true}"#) == PurgeOrder(target: .prefix("/a/"), isSoft: true))
        #expect(try order(#"{"older_than":"7d"}"#) == PurgeOrder(target: .olderThan(604_800)))
        #expect(try order(#"{"older_than":0}"#) == PurgeOrder(target: .olderThan(0)))
        for text in [
            #"{"url":"/a \"b\""}"#, #"{"source":"x","dry":true}"#, #"{"all":true}"#, #"{"tag":"t","soft":true}"#,
            #"{"preset":"p"}"#, #"{"prefix":"/a","soft":true,"dry":true}"#, #"{"older_than":60}"#,
            #"{"tag":["t","u"]}"#, #"{"tag":["tag","tag"],"dry":true}"#, #"{"url":"tag"}"#,
            #"{"tag":"dry","dry":true}"#,
            #"{"url":"/{\"url\":[,\"url\""}"#,
        ] {
            #expect(try order(order(text).json.text) == order(text))
        }
    }

    @Test(
        arguments: [
            ("", nil), ("[]", nil), ("{", nil), ("\"url\"", nil), ("{}", "url"), (#"{"all":false}"#, "url"),
            (#"{"url":"/a","all":true}"#, "url"), (#"{"url":1}"#, "url"), (#"{"url":""}"#, "url"),
            (#"{"all":1}"#, "all"),
            (#"{"all":"yes"}"#, "all"), (#"{"url":"/a","dry":"true"}"#, "dry"), (#"{"url":["/a"]}"#, "url"),
            (#"{"prefix":""}"#, "prefix"), (#"{"url":"/a","soft":1}"#, "soft"), (#"{"ulr":"/a"}"#, "ulr"),
            (#"{"preset":"p","soft":true}"#, "soft"), (#"{"older_than":"soon"}"#, "older_than"),
            (#"{"older_than":-1}"#, "older_than"), (#"{"older_than":true}"#, "older_than"),
            (#"{"tag":"a","prefix":"/b"}"#, "url"),
            // RFC 8259 §4: names should be unique.
            (#"{"url":"/l/a.jpg","url":"/l/b.jpg"}"#, "url"), (#"{"dry":true,"tag":["a"], "dry" : false}"#, "dry"),
            (#"{"url":"/a","\u0075rl":"/b"}"#, "url"), (#"{"all":true,"x\"":1,"x\"":2}"#, "x\""),
            (#"{"url":null}"#, "url"), (#"{"tag":[]}"#, "tag"), (#"{"tag":["a",""]}"#, "tag"), (#"{"tag":[1]}"#, "tag"),
        ] as [(String, String?)]
    )
    func `errors name the invalid member`(json: String, parameter: String?) {
        let problem = #expect(throws: Problem.self) { try order(json) }
        #expect(problem?.status == 400 && problem?.parameter == parameter)
    }
}
