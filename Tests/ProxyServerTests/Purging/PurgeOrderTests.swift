import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct PurgeOrderTests {
    private func order(_ json: String) throws(Problem) -> PurgeOrder { try PurgeOrder(json: Array(json.utf8)) }

    @Test func `reads one target`() throws {
        #expect(try order(#"{"url":"/photos/a.jpg"}"#) == PurgeOrder(target: .url("/photos/a.jpg")))
        #expect(try order(#"{"source":"photos","dry":true}"#) == PurgeOrder(target: .source("photos"), isDry: true))
        #expect(try order(#"{"all":true,"dry":false}"#) == PurgeOrder(target: .all))
        for text in [#"{"url":"/a \"b\""}"#, #"{"source":"x","dry":true}"#, #"{"all":true}"#] {
            #expect(try order(order(text).json.text) == order(text))
        }
    }

    @Test(
        arguments: [
            ("", nil), ("[]", nil), ("{", nil), ("\"url\"", nil), ("{}", "url"), (#"{"all":false}"#, "url"),
            (#"{"url":"/a","all":true}"#, "url"), (#"{"url":1}"#, "url"), (#"{"url":""}"#, "url"),
            (#"{"all":1}"#, "all"),
            (#"{"all":"yes"}"#, "all"), (#"{"url":"/a","dry":"true"}"#, "dry"), (#"{"url":["/a"]}"#, "url"),
            (#"{"prefix":"/a"}"#, "prefix"), (#"{"url":"/a","soft":true}"#, "soft"), (#"{"ulr":"/a"}"#, "ulr"),
            (#"{"url":null}"#, "url"),
        ] as [(String, String?)]
    )
    func `names what is wrong`(json: String, parameter: String?) {
        let problem = #expect(throws: Problem.self) { try order(json) }
        #expect(problem?.status == 400 && problem?.parameter == parameter)
    }
}
