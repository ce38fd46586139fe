import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '#local/root.ts'

/** Write a file unless it has this text already, so that `npm start -- --watch` only sees what changed. */
export async function writeChanged(path: string, text: string): Promise<void> {
  if (!(await hasText(path, text))) await writeFile(path, text)
}

const hasText = async (path: string, text: string) =>
  (await readFile(path, 'utf8').catch(() => undefined)) === text

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
  if (!process.argv.includes('--check')) await writeChanged(path, text)
  else if (!(await hasText(path, text))) {
    console.error(`${file} differs from ${source}. Run ${command}.`)
    process.exitCode = 1
  }
}
