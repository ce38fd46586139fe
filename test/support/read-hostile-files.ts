import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { HostileResult } from './hostile-process.ts'

const script = join(import.meta.dirname, 'hostile-process.ts')

/**
 * Read the generated files of `count` seeds of each format, or of one, in a process of their own. Their parts
 * repeat at most `most` times.
 */
export async function readHostileFiles({
  first,
  count,
  most,
  format,
}: {
  first: number
  count: number
  most: number
  format?: string
}): Promise<HostileResult[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', script, String(first), String(count), String(most), ...(format ? [format] : [])],
    { maxBuffer: 1024 * 1024 * 1024 },
  )
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HostileResult)
}

/** The errors by which a reader refuses a file. */
const refusals = ['', 'Problem', 'ArticleError', 'ArchiveError', 'DiagramFileError']
/** What a Worker has for all that it does: https://developers.cloudflare.com/workers/platform/limits/#memory */
const maxMb = 128

/**
 * Return the results that took too much: more than 128 MB, more than `nsPerStep` for what was counted, or more
 * than `maxMs`. Also those that failed.
 */
export function findOffenders(
  results: readonly HostileResult[],
  { nsPerStep, maxMs }: { nsPerStep: number; maxMs: number },
): HostileResult[] {
  return results.filter(
    ({ ms, mb, steps, error }) =>
      mb > maxMb || ms > 30 + (steps * nsPerStep) / 1e6 || ms > maxMs || !refusals.includes(error),
  )
}
