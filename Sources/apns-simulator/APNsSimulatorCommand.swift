@main
struct APNsSimulatorCommand {
    static func main() {}
}
