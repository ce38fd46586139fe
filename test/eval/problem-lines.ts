import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { EmbeddingsPort } from '#vendors/ai/embeddings.ts'
import { insertReader, type Reader, rankTexts } from './ranking.ts'

/**
 * A problem as somebody writes it, and the flow that answers it. `flow` is null for a problem that no flow
 * answers.
 */
export interface ProblemLine {
  set: 'tune' | 'held'
  language: string
  flow: string | null
  /** Whether the line shares no word with its flow, so that only embeddings find it. */
  needsEmbeddings: boolean
  text: string
}

/** The flows above the threshold, best first, by the names of their files or their headings. */
export interface RankedLine extends ProblemLine {
  found: string[]
}

/** The account of the flows in `msp-flows.md`, which has nothing else. */
const reader: Reader = {
  accountId: '000000e1-0000-7000-b000-000000000001',
  userId: '000000e1-0000-7000-8000-000000000001',
}
const shippedFlows = join(import.meta.dirname, '../../migrations/content/flows')

/** Read the lines for the large library, or those for an account that has the shipped flows alone. */
export async function readProblemLines(
  file: 'problem-lines.tsv' | 'shipped-lines.tsv' = 'problem-lines.tsv',
): Promise<ProblemLine[]> {
  const text = await readFile(join(import.meta.dirname, file), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [set, language = '', flow = '', need, text = ''] = line.split('\t')
      return {
        set: set as ProblemLine['set'],
        language,
        flow: flow === '-' ? null : flow,
        needsEmbeddings: need !== 'lexical',
        text,
      }
    })
}

/**
 * Insert an account without flows of its own. Return the names of the shipped flows by id. The client is a
 * superuser's or the owner's.
 */
export async function insertNewcomer(client: pg.Client): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const file of await readdir(shippedFlows)) {
    const id = /^id: (\S+)/m.exec(await readFile(join(shippedFlows, file), 'utf8'))?.[1] ?? ''
    names.set(id, file.replace(/\.md$/, ''))
  }
  await insertReader(client, reader)
  return names
}

/**
 * Insert the flows of `msp-flows.md` into a new account. Return the names of these and of the shipped flows
 * by id.
 */
export async function insertFlows(client: pg.Client): Promise<Map<string, string>> {
  const names = await insertNewcomer(client)
  const { accountId, userId } = reader
  const library = await readFile(join(import.meta.dirname, 'msp-flows.md'), 'utf8')
  for (const part of library.split(/^# /m).slice(1)) {
    const [heading = '', description = '', list = ''] = part.trim().split('\n\n')
    const [, name = '', title = ''] = /^(\S+): (.*)/.exec(heading) ?? []
    const steps = list.split('\n').map((line, index) => {
      const [, stepTitle, text] = /^\d+\. ([^:]*): (.*)/.exec(line) ?? []
      return { id: `s${index}`, type: 'procedure_step', title: stepTitle, description: text }
    })
    const { rows } = await client.query(
      `insert into trees (account_id, author_id, tree_type, status, visibility, name, description)
       values ($1, $2, 'procedural', 'published', 'account', $3, $4) returning id`,
      [accountId, userId, title, description],
    )
    names.set(rows[0].id, name)
    await client.query(
      `insert into tree_versions (account_id, tree_id, version, status, name, description, tree_structure, tree_type, saved_by)
       values ($1, $2, 1, 'published', $3, $4, $5, 'procedural', $6)`,
      [accountId, rows[0].id, title, description, JSON.stringify({ steps }), userId],
    )
  }
  return names
}

/** Rank the account's flows for each line. */
export async function rankLines(
  client: pg.Client,
  names: Map<string, string>,
  lines: readonly ProblemLine[],
  port?: EmbeddingsPort,
): Promise<RankedLine[]> {
  const found = await rankTexts(
    client,
    reader,
    lines.map(({ text }) => text),
    port,
  )
  return lines.map((line, index) => ({
    ...line,
    found: (found[index] ?? []).map(({ id, title }) => names.get(id) ?? title),
  }))
}

/**
 * Return whether the right flow is among the first three, or, for a problem without one, whether nothing is
 * found.
 */
export const isRight = ({ flow, found }: RankedLine) =>
  flow === null ? found.length === 0 : found.slice(0, 3).includes(flow)

/** Return how many of some lines are right, as "36 of 39 (92 %)". */
export function countRight(lines: readonly RankedLine[]): string {
  const right = lines.filter(isRight).length
  return lines.length === 0
    ? '-'
    : `${right} of ${lines.length} (${((right / lines.length) * 100).toFixed(0)} %)`
}

/** Format a table: a line per set and language with the right answers of each kind of line. */
export function formatLines(ranked: readonly RankedLine[]): string {
  const rows = ['tune', 'held'].flatMap((set) =>
    ['all', 'en', 'de', 'cs'].map((language) => {
      const part = ranked.filter(
        (line) => line.set === set && (language === 'all' || line.language === language),
      )
      const answered = part.filter(({ flow }) => flow !== null)
      const kinds = [
        answered.filter(({ needsEmbeddings }) => !needsEmbeddings),
        answered.filter(({ needsEmbeddings }) => needsEmbeddings),
        part.filter(({ flow }) => flow === null),
      ]
      return [set, language, ...kinds.map(countRight)].join(' | ')
    }),
  )
  return [
    'set | language | right flow among three | the same, needs embeddings | no flow, when none fits',
    ...rows,
  ].join('\n')
}
