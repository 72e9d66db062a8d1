import Model
import Store

extension ServiceWriter {
    /// Announces this writer's own writing into the store to the check of the files.
    func watchFiles(_ files: StoreFileCheck) {
        onRewrite = { files.expectRewrite() }
        store.fileWriting = (
            willBegin: { () throws(Problem) in try files.beginWriting() },
            didEnd: { [unowned self] in files.endWriting(contentBytes: contentBytes()) }
        )
    }

    /// Nil if the size cannot be read. The next check of the files shows why.
    private func contentBytes() -> Int? {
        do throws(Problem) {
            return try store.contentBytes()
        } catch {
            return nil
        }
    }

    /// Without a service: checks that what was committed is in the files at the path of the store. A service checks them before it answers.
    ///
    /// - Throws: `Problem.storeReplaced` if a file was deleted, replaced or cut since the first commit.
    func checkFilesOfCommand() throws(Problem) {
        guard !isServing else { return }
        if let commandFiles {
            guard let problem = commandFiles.problem() else { return }
            if commandFiles.mustKeepLog() { store.keepLogOnClose() }
            throw problem
        }
        let files = try StoreFileCheck(store: directory.storePath, contentBytes: try store.contentBytes())
        // A commit of a command may write into the store itself.
        try files.beginWriting()
        onRewrite = { files.expectRewrite() }
        commandFiles = files
    }
}
