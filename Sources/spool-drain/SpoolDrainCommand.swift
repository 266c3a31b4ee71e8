@main
struct SpoolDrainCommand {
    static func main() {}
}
