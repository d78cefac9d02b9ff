/// A reader of the XML files in which OpenCV keeps cascades: elements that hold either elements or numbers and words.
///
/// It skips comments, declarations and the attributes of tags, and decodes no entities, since such files have none.
struct StorageReader {
    /// An element without children.
    struct Leaf {
        /// The names of the elements around it and its own, from the root, joined by `/`; list items are called `_`.
        let path: String
        let text: String
    }

    private enum Token {
        case opening(ArraySlice<UInt8>)
        case closing(ArraySlice<UInt8>)
        case empty
    }

    /// The most elements within one another.
    private static let deepest = 16

    private var rest: ArraySlice<UInt8>
    private var path: [String] = []

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Returns the next element that holds text, or without text a list item that ends; `nil` at the end of the file.
    mutating func next() throws(FaceData.Malformed) -> Leaf? {
        var isLeaf = false
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            let text = rest[..<open]
            rest = rest[open...]
            switch try token() {
            case .opening(let name):
                guard path.count < Self.deepest else { throw FaceData.Malformed("has too many levels") }
                path.append(String(decoding: name, as: UTF8.self))
                isLeaf = true
            case .closing(let name):
                guard let last = path.last, last.utf8.elementsEqual(name) else {
                    throw FaceData.Malformed("has an end tag at a wrong place")
                }
                defer { path.removeLast() }
                if isLeaf || last == "_" {
                    let path = path.joined(separator: "/")
                    return Leaf(path: path, text: isLeaf ? String(decoding: text, as: UTF8.self) : "")
                }
            case .empty: break
            }
        }
        guard path.isEmpty else { throw FaceData.Malformed("ends too early") }
        return nil
    }

    /// Takes the tag, comment or declaration at the start of the rest.
    private mutating func token() throws(FaceData.Malformed) -> Token {
        let isComment = rest.starts(with: "<!--".utf8)
        var end = rest.firstIndex(of: UInt8(ascii: ">"))
        while isComment, let mark = end,
            !(mark - rest.startIndex > 5 && rest[..<mark].suffix(2).elementsEqual("--".utf8))
        {
            end = rest[(mark + 1)...].firstIndex(of: UInt8(ascii: ">"))
        }
        guard let end else { throw FaceData.Malformed("has a tag without end") }
        let tag = rest[..<end].dropFirst()
        rest = rest[(end + 1)...]
        let (first, last) = (tag.first, tag.last)
        if first == UInt8(ascii: "?") || first == UInt8(ascii: "!") || last == UInt8(ascii: "/") { return .empty }
        let isClosing = first == UInt8(ascii: "/")
        let name = (isClosing ? tag.dropFirst() : tag).prefix { $0 > UInt8(ascii: " ") }
        return isClosing ? .closing(name) : .opening(name)
    }
}
