@main
struct DoorbellCommand {
    static func main() {}
}
