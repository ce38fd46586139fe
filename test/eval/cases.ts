import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a model was asked, as the service sends it. */
export interface Case {
  name: string
  facts: Record<string, unknown>
  turns?: { role: 'user' | 'assistant'; text: string }[]
  expect?: {
    /** The numbers of the sources that the answer must cite, and no others. */
    cites?: number[]
    /** Titles of fixes that did not help. */
    tried?: string[]
    /** Words that an order in the material demands. */
    absent?: string[]
    /** Statements about the answer that a model judges. */
    judge?: string[]
  }
}

/** Read the cases of a prompt from a folder, by default the recorded ones. */
export async function readCases(
  promptName: string,
  folder = join(import.meta.dirname, 'cases'),
): Promise<Case[]> {
  const file = join(folder, `${promptName.replaceAll('_', '-')}.json`)
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Case[]) : []
}
