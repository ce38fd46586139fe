import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { HostileResult } from './hostile-process.ts'
import type { ImageCost } from './image-memory.ts'

/** Run a script of this folder that reads what it generates, in a process of its own. */
async function readInProcess<Result = HostileResult>(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Result[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', join(import.meta.dirname, script), ...args],
    { maxBuffer: 1024 * 1024 * 1024, env: { ...process.env, ...env } },
  )
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
}

/**
 * Convert a picture of each shape that the accepted formats know, as high as it is accepted. Freed memory is given
 * back at once, so that each shows what it took: https://man7.org/linux/man-pages/man3/mallopt.3.html
 */
export const convertImageShapes = (width: number, maxHeight: number): Promise<ImageCost[]> =>
  readInProcess('image-memory.ts', [String(width), String(maxHeight)], {
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '65536',
    MALLOC_TRIM_THRESHOLD_: '65536',
    MALLOC_TOP_PAD_: '0',
  })

/** Read files with one long value that many parts name, in the first `sizes` of four sizes. */
export const readLongValues = (sizes: number): Promise<HostileResult[]> =>
  readInProcess('long-values.ts', [String(sizes)])

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
  const numbers = [first, count, most].map(String)
  return readInProcess('hostile-process.ts', format ? [...numbers, format] : numbers)
}

/** Read the files of each part of each format, or of one, which repeats `size` times, in a process of their own. */
export const readHostileFamilies = (size: number, format?: string): Promise<HostileResult[]> =>
  readInProcess('hostile-process.ts', ['families', '9999', String(size), ...(format ? [format] : [])])

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
