@main
struct SpoolEnqueueCommand {
    static func main() {}
}
