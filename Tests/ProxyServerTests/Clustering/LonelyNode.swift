/// The configuration of a node of a cluster whose engines do not exist, for tests of what it reports.
enum LonelyNode {
    static let yaml = """
        cluster:
          log: "redis://127.0.0.1:9/"
          store: s3://pics/
          endpoint: "http://127.0.0.1:9"
          nodes: ["127.0.0.1:9"]
          node: "127.0.0.1:9"
          token: secret
        """
}
