import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '#local/root.ts'

/**
 * Write a generated file, whose path is relative to the root. With the option `--check`, fail instead if the
 * file has another text: `source` is what it is generated from, and `command` writes it.
 */
export async function writeGenerated(
  file: string,
  text: string,
  { source, command }: { source: string; command: string },
): Promise<void> {
  const path = join(root, file)
  if (!process.argv.includes('--check')) await writeFile(path, text)
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`${file} differs from ${source}. Run ${command}.`)
    process.exitCode = 1
  }
}
