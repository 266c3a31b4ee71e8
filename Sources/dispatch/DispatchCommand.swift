@main
struct DispatchCommand {
    static func main() {}
}
