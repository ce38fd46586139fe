import { type FileRequest, loadReaders, readFile, toRefusal } from '#rules/files/read-file.ts'
import type { FileAnswer } from './files.ts'

// The process in which files are read. It is started by files.ts, without settings, and ends with its parent.

/** An answer that is longer is no use to anybody: what is stored of a file is shorter. */
const maxAnswerLength = 32 * 1024 * 1024

async function answer(request: FileRequest): Promise<FileAnswer> {
  const outcome = await readFile(request)
  const { steps } = outcome
  if ('error' in outcome) return { steps, refusal: toRefusal(outcome.error) }
  const json = JSON.stringify(outcome.result)
  return json.length > maxAnswerLength ? { steps, refusal: { name: 'too_complex' } } : { steps, json }
}

const send = (message: FileAnswer | 'ready') => void process.send?.(message)

process.on('disconnect', () => process.exit())
process.on('message', async (request: FileRequest) => {
  send(await answer(request))
  // The memory of one file does not count for the next.
  globalThis.gc?.()
})
await loadReaders()
send('ready')
