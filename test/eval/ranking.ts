import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { selectCandidates } from '#db/rows/candidates.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { readArticleFile } from '#rules/knowledge/article.ts'
import {
  type Embedding,
  type EmbeddingsPort,
  maxEmbeddedCharacters,
  maxTextsPerCall,
} from '#vendors/ai/embeddings.ts'

/**
 * A ticket and the article that answers it. Held tickets were written before any tuning and are only
 * measured.
 */
export interface LabelledTicket {
  set: 'tune' | 'held'
  article: string
  text: string
}

/**
 * The entries above the threshold for a ticket, best first. The article is null for a flow that ships with
 * the service.
 */
export interface RankedTicket extends LabelledTicket {
  found: { article: string | null; score: number }[]
}

type ArticleNames = Map<string, string>

/** Whose knowledge is ranked. */
export interface Reader {
  accountId: string
  userId: string
}

/** The account of the articles, which has nothing else. */
const articleReader: Reader = {
  accountId: '000000e0-0000-7000-b000-000000000001',
  userId: '000000e0-0000-7000-8000-000000000001',
}

/** Insert an account with one engineer. The client is a superuser's or the owner's. */
export async function insertReader(client: pg.Client, { accountId, userId }: Reader): Promise<void> {
  await client.query(
    `insert into accounts (id, name, plan, subscription_status) values ($1, 'Evaluation', 'enterprise', 'active')`,
    [accountId],
  )
  await client.query(
    `insert into users (id, account_id, email, full_name, role) values ($1, $2, $3, 'Evaluation', 'engineer')`,
    [userId, accountId, `${userId}@people.example`],
  )
}

/** Embed all entries of a database. */
export async function embedEntries(client: pg.Client, port: EmbeddingsPort): Promise<void> {
  const { rows } = await client.query<{ account_id: string; id: string; text: string }>(
    'select e.account_id, e.id, app.entry_text(e, $1) as text from knowledge_entries e order by 1, 2',
    [maxEmbeddedCharacters],
  )
  const embeddings = await embedAll(
    port,
    rows.map(({ text }) => text),
  )
  for (const [place, { account_id, id }] of rows.entries())
    await client.query(
      `update knowledge_embeddings set model = $1, text_hash = sha256(''), embedding = $2, due_at = null where account_id = $3 and entry_id = $4`,
      [port.model, embeddings[place], account_id, id],
    )
}

async function embedAll(port: EmbeddingsPort, texts: readonly string[]): Promise<Embedding[]> {
  const embeddings: Embedding[] = []
  for (let start = 0; start < texts.length; start += maxTextsPerCall)
    embeddings.push(...(await port.embed(texts.slice(start, start + maxTextsPerCall), 60_000)).embeddings)
  return embeddings
}

/** Find the sources of each text, best first, as the reader: by words, and with `port` by meaning too. */
export async function rankTexts(
  client: pg.Client,
  { accountId, userId }: Reader,
  texts: readonly string[],
  port?: EmbeddingsPort,
) {
  const embeddings = port ? await embedAll(port, texts) : []
  const found: { id: string; score: number; title: string }[][] = []
  await client.query('begin')
  await client.query(`select app.set_scope($1, $2, 'engineer', null, null, null)`, [accountId, userId])
  for (const [place, text] of texts.entries()) {
    const embedding = embeddings[place]
    const meaning = port && embedding ? { model: port.model, embedding } : null
    const { sql, parameters } = selectCandidates.query(text, null, meaning).compile()
    found.push((await client.query(sql, [...parameters])).rows)
  }
  await client.query('rollback')
  return found
}

/** Read labelled tickets: a line has the set, the name of the article, and the text, between tabs. */
export async function readTickets(file: string): Promise<LabelledTicket[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return lines.map((line) => {
    const [set = '', article = '', text = ''] = line.split('\t')
    return { set: set as LabelledTicket['set'], article, text }
  })
}

/** Read tickets that no article answers: a line has a text. */
export async function readUnrelatedTickets(file: string): Promise<LabelledTicket[]> {
  return (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((text) => ({ set: 'held', article: '', text }))
}

/**
 * Insert the articles of a folder into a new account. Return their file names by id. The client is a
 * superuser's or the owner's.
 */
export async function insertArticles(client: pg.Client, folder: string): Promise<ArticleNames> {
  const names: ArticleNames = new Map()
  await insertReader(client, articleReader)
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.md')).sort()) {
    const { title, format, blocks } = await runWithin(createBudget(), async () =>
      readArticleFile({ bytes: await readFile(join(folder, name)), name, type: '' }),
    )
    const inserted = await client.query(
      `insert into kb_imports (account_id, created_by, title, format, blocks) values ($1, $2, $3, $4, $5) returning id`,
      [articleReader.accountId, articleReader.userId, title, format, JSON.stringify(blocks)],
    )
    names.set(inserted.rows[0].id, name.replace(/\.md$/, ''))
  }
  return names
}

/** Rank the account's knowledge for each ticket. */
export async function rankTickets(
  client: pg.Client,
  names: ArticleNames,
  tickets: readonly LabelledTicket[],
): Promise<RankedTicket[]> {
  const found = await rankTexts(
    client,
    articleReader,
    tickets.map(({ text }) => text),
  )
  return tickets.map((ticket, index) => ({
    ...ticket,
    found: (found[index] ?? []).map(({ id, score }) => ({ article: names.get(id) ?? null, score })),
  }))
}

/** Return the share of tickets whose article is among the first three. */
export function measureHitRate(ranked: readonly RankedTicket[]): number {
  return (
    ranked.filter(({ article, found }) => found.slice(0, 3).some((entry) => entry.article === article))
      .length / ranked.length
  )
}
