import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SlowPattern } from './slow-patterns.ts'

const script = join(import.meta.dirname, 'slow-patterns.ts')

/** Try each regular expression of the service with at most `most` texts, in a process of its own. */
export async function findSlowPatterns(most: number): Promise<{ tried: number; slow: SlowPattern[] }> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(most)], {
    maxBuffer: 16 * 1024 * 1024,
  })
  const lines = stdout.trim().split('\n')
  const { tried } = JSON.parse(lines.pop() ?? '') as { tried: number }
  return { tried, slow: lines.map((line) => JSON.parse(line) as SlowPattern) }
}
