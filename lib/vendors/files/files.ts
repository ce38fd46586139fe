import { sharePlaces } from '#async/share-places.ts'
import { Problem } from '#problem.ts'
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
   * work, time or memory, and 503 while too many files are read. One that waits when `signal` is aborted is
   * not read; a job has no signal.
   */
  read<Kind extends FileKind>(
    kind: Kind,
    input: FileInput<Kind>,
    accountId: string,
    signal: AbortSignal | undefined,
  ): Promise<FileResult<Kind>>
}

/** Create the port from a function that reads one file with the work that is left. */
export function createFilesPort(
  readOne: (request: FileRequest, accountId: string, signal?: AbortSignal) => Promise<FileOutcome>,
): FilesPort {
  return {
    async read<Kind extends FileKind>(
      kind: Kind,
      input: FileInput<Kind>,
      accountId: string,
      signal: AbortSignal | undefined,
    ) {
      const outcome = await readOne({ kind, input, steps: getStepsLeft() }, accountId, signal)
      spend(outcome.steps)
      if ('error' in outcome) throw outcome.error
      return outcome.result as FileResult<Kind>
    },
  }
}

/** What is read at once in this process: one file may keep 48 MB, and a Worker has 128 MB for all that it does. */
const places = { running: 2, waiting: 8, maxWaitMs: 10_000, maxHoldMs: 30_000 }
const accountPlaces = { ...places, running: 1, waiting: 10 }

/**
 * Read files in this process, for a platform without processes: two at once, and one of an account. The counts
 * of steps and bytes protect it from each of them.
 */
export function filesInProcess(read: typeof readFile = readFile): FilesPort {
  const [takeAccountPlace, takePlace] = [sharePlaces(accountPlaces), sharePlaces(places)]
  return createFilesPort(async (request, accountId, signal) => {
    const leaveAccount = await takeAccountPlace(accountId)
    try {
      if (signal?.aborted) throw new Problem('unavailable')
      const leave = await takePlace('all')
      return await read(request).finally(leave)
    } finally {
      leaveAccount()
    }
  })
}
