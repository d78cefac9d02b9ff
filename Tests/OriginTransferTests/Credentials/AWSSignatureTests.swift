import HTTPSemantics
import LinuxSystem
import Testing

@testable import OriginTransfer

/// AWS's published examples: the header-based ones of the S3 API reference, and its general test suite.
@Suite(.timeLimit(.minutes(1)))
struct AWSSignatureTests {
    private func signature(_ value: String) -> String? { value.split(separator: "=").last.map(String.init) }

    @Test(arguments: [
        ("/test.txt", "", "bytes=0-9", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        ("/", "lifecycle", nil, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("/", "max-keys=2&prefix=J", nil, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        ("/", "prefix=J&max-keys=2", nil, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ])
    func `signs the S3 examples`(path: String, query: String, range: String?, expected: String) {
        let signer = AWSSignature(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1"
        )
        let seconds: Int64 = 1_369_353_600
        var fields = [
            HeaderField(name: "Host", value: "examplebucket.s3.amazonaws.com"),
            HeaderField(name: "x-amz-content-sha256", value: AWSSignature.emptyPayload),
            HeaderField(name: "x-amz-date", value: AWSSignature.timestamp(seconds)),
        ]
        if let range { fields.append(HeaderField(name: "Range", value: range)) }
        let value = signer.authorization(path: path, query: query, fields: fields, at: seconds)
        #expect(signature(value) == expected)
        let names = (range == nil ? "host;" : "host;range;") + "x-amz-content-sha256;x-amz-date"
        #expect(
            value.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=\(names), "
            )
        )
    }

    @Test(arguments: [
        ("/", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (
            "/", "Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        (
            "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "",
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
        ),
        ("/%E1%88%B4", "", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    ])
    func `signs the test suite's requests`(path: String, query: String, expected: String) {
        let signer = AWSSignature(
            accessKey: "AKIDEXAMPLE",
            secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1",
            service: "service"
        )
        let fields = [
            HeaderField(name: "Host", value: "example.amazonaws.com"),
            HeaderField(name: "X-Amz-Date", value: "20150830T123600Z"),
        ]
        let value = signer.authorization(path: path, query: query, fields: fields, at: 1_440_938_160)
        #expect(signature(value) == expected)
    }

    @Test(arguments: [
        ("a+b c", "a%2Bb%20c"), ("%41%2f%2B", "A/%2B"), ("x=1,y&z(2)*!'", "x%3D1%2Cy%26z%282%29%2A%21%27"),
        ("%C3%A9~-._", "%C3%A9~-._"), ("100%", "100%25"), ("a//b/", "a//b/"),
    ])
    func `encodes a path canonically`(given: String, expected: String) {
        #expect(AWSEncoding.path(PercentEncoding.decode(given.utf8)) == expected)
        #expect(AWSEncoding.path(PercentEncoding.decode(expected.utf8)) == expected)
    }

    @Test func `sends a query in its order, and signs it sorted`() {
        #expect(AWSEncoding.query("b=2+3&a&c=/=") == "b=2%2B3&a&c=%2F%3D")
        #expect(AWSEncoding.canonicalQuery("b=2&a&b=10&A=1") == "A=1&a=&b=10&b=2")
    }

    @Test(arguments: [
        (ObjectBucket(name: "pics", prefix: "", region: "eu-central-1"), "https://pics.s3.eu-central-1.amazonaws.com/"),
        (
            ObjectBucket(name: "a.b", prefix: "x y/", region: "eu-central-1"),
            "https://s3.eu-central-1.amazonaws.com/a.b/x%20y/"
        ),
        (
            ObjectBucket(name: "pics", prefix: "p/", region: "cn-north-1"),
            "https://pics.s3.cn-north-1.amazonaws.com.cn/p/"
        ),
        (
            ObjectBucket(name: "a.pics", prefix: "p/", region: "auto", endpoint: "https://storage.googleapis.com"),
            "https://storage.googleapis.com/a.pics/p/"
        ),
        (ObjectBucket(name: "pics", prefix: "p/", endpoint: "http://127.0.0.1:9000"), "http://127.0.0.1:9000/pics/p/"),
    ])
    func `places a bucket in the host or the path`(bucket: ObjectBucket, url: String) {
        #expect(bucket.urlPrefix == url)
        #expect(bucket.url(rawPath: "a+%2B", rawQuery: "") == url + "a%2B%2B")
    }
}
