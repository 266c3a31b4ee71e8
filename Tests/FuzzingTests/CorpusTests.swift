import Foundation
import Testing

@Suite("Inputs that were made up")
struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Corpus")

    @Test("No input that is kept has a reader break a promise", arguments: Reader.allCases)
    func kept(reader: Reader) throws {
        let folder = Self.corpus.appendingPathComponent(reader.rawValue)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 5)
        for file in files {
            #expect(throws: Never.self, "\(file.lastPathComponent)") {
                try reader.check(Array(Data(contentsOf: file)))
            }
        }
    }
}
