import { getStepsLeft, spend } from '#rules/budget.ts'
import {
  type FileInput,
  type FileKind,
  type FileOutcome,
  type FileRequest,
  type FileResult,
  readFile,
} from '#rules/files/read-file.ts'

/** Reads the files that strangers wrote. */
export interface FilesPort {
  /**
   * Read a file of an account. Throw the error of its reader, 422 `too_complex` for one that takes too much
   * work, time or memory, and 503 while too many files are read.
   */
  read<Kind extends FileKind>(
    kind: Kind,
    input: FileInput<Kind>,
    accountId: string,
  ): Promise<FileResult<Kind>>
}

/** Create the port from a function that reads one file with the work that is left. */
export function createFilesPort(
  readOne: (request: FileRequest, accountId: string) => Promise<FileOutcome>,
): FilesPort {
  return {
    async read<Kind extends FileKind>(kind: Kind, input: FileInput<Kind>, accountId: string) {
      const outcome = await readOne({ kind, input, steps: getStepsLeft() }, accountId)
      spend(outcome.steps)
      if ('error' in outcome) throw outcome.error
      return outcome.result as FileResult<Kind>
    },
  }
}

/**
 * Read files in this process, for a platform without processes. The counts of steps and bytes alone protect
 * it.
 */
export const filesInProcess = (): FilesPort => createFilesPort(readFile)
