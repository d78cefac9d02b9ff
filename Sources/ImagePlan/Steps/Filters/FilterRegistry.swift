/// The values of `filter`; a new filter is a file in this folder and a line here.
package enum FilterRegistry {
    package static let types: [any NamedFilter.Type] = [
        GrayscaleFilter.self,
        SepiaFilter.self,
        InvertFilter.self,
        DuotoneFilter.self,
        MonochromeFilter.self,
        VignetteFilter.self,
    ]

    /// How each filter is written, for errors.
    package static let spellings = types.map { $0.argumentNote.isEmpty ? $0.name : $0.name + $0.argumentNote }

    /// The filter of a name.
    package static func type(named name: String) -> (any NamedFilter.Type)? { types.first { $0.name == name } }
}
