extension Configuration {
    /// The configuration as a YAML file, secrets redacted.
    var yaml: String { YAMLValue(table: ConfigurationSchema.root, root: self).document }
}
