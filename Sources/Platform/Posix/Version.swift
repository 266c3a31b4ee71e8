/// What `--version` says.
public enum Version {
    /// The release, as in CHANGELOG.md.
    public static let text = "0.1.0"
}
