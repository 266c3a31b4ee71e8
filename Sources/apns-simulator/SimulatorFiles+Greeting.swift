internal import JSON

extension SimulatorFiles {
    /// The first line of standard output: what a client must be told.
    func greeting(port: UInt16) -> [UInt8] {
        var json = JSONText()
        json.beginObject()
        json.key("event")
        json.string("listening".utf8)
        json.key("port")
        json.integer(Int64(port))
        json.key("ca_file")
        json.string(authorityFile.utf8)
        json.key("key_file")
        json.string(keyFile.utf8)
        json.key("key_id")
        json.string(Self.keyID.utf8)
        json.key("team_id")
        json.string(Self.teamID.utf8)
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }
}
