internal import APNs
internal import Posix
internal import Queue

/// Devices for a person to read: one a line, in columns.
struct DeviceTable {
    /// The table with its heading; a sentence when there is no device.
    let text: String

    init(_ devices: [Device], now: WallTime) {
        guard !devices.isEmpty else {
            text = "no devices; register one with doorbell device add\n"
            return
        }
        let heading = [
            "ID", "TOKEN", "USER", "ENVIRONMENT", "TOPIC", "PLATFORM", "FOLDERS", "REGISTERED", "LAST SEEN",
            "LAST FAILURE", "STATE", "LABEL",
        ]
        text = aligned([heading] + devices.map { Self.columns($0, now: now) })
    }

    private static func columns(_ device: Device, now: WallTime) -> [String] {
        [
            "\(device.id)", hexadecimalText(device.token.prefix(4)), device.user, device.environment,
            device.topic, device.platform,
            device.registration.folderList,
            device.registeredAt.text, device.lastSeen, device.failure, device.state(now: now), device.label,
        ]
    }
}

/// Rows in columns as wide as their widest cell, two blanks between them.
///
/// Control characters become question marks: some of the texts come from elsewhere.
func aligned(_ rows: [[String]]) -> String {
    let rows = rows.map { $0.map(printable) }
    var widths: [Int] = []
    for row in rows {
        for (column, cell) in row.enumerated() {
            if column == widths.count { widths.append(0) }
            widths[column] = max(widths[column], cell.count)
        }
    }
    var text = ""
    for row in rows {
        var line = ""
        for (cell, width) in zip(row, widths) {
            line += cell + String(repeating: " ", count: width - cell.count + 2)
        }
        while line.last == " " { line.removeLast() }
        text += line + "\n"
    }
    return text
}

/// The text with question marks for control characters, which could write to the terminal.
private func printable(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
}
