import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { selectCandidates } from '#db/rows/candidates.ts'
import { createBudget } from '#rules/budget.ts'
import { readArticleFile } from '#rules/knowledge/article.ts'

/** A ticket and the article that answers it. Held tickets were written before any tuning and are only measured. */
export interface LabelledTicket {
  set: 'tune' | 'held'
  article: string
  text: string
}

/** The entries above the threshold for a ticket, best first. The article is null for a flow that ships with the service. */
export interface RankedTicket extends LabelledTicket {
  found: { article: string | null; score: number }[]
  milliseconds: number
}

type ArticleNames = Map<string, string>

/** The account of the evaluation, which has the articles and nothing else. */
const accountId = '000000e0-0000-7000-b000-000000000001'
const userId = '000000e0-0000-7000-8000-000000000001'

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

/** Insert the articles of a folder into a new account. Return their file names by id. The client is a superuser's or the owner's. */
export async function insertArticles(client: pg.Client, folder: string): Promise<ArticleNames> {
  const names: ArticleNames = new Map()
  await client.query(`insert into accounts (id, name, plan, subscription_status) values ($1, 'Evaluation', 'enterprise', 'active')`, [
    accountId,
  ])
  await client.query(
    `insert into users (id, account_id, email, full_name, role) values ($2, $1, 'evaluation@people.example', 'Evaluation', 'engineer')`,
    [accountId, userId],
  )
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.md')).sort()) {
    const { title, format, blocks } = await readArticleFile({ bytes: await readFile(join(folder, name)), name, type: '' }, createBudget())
    const inserted = await client.query(
      `insert into kb_imports (account_id, created_by, title, format, blocks) values ($1, $2, $3, $4, $5) returning id`,
      [accountId, userId, title, format, JSON.stringify(blocks)],
    )
    names.set(inserted.rows[0].id, name.replace(/\.md$/, ''))
  }
  return names
}

/** Rank the account's knowledge for each ticket. */
export async function rankTickets(client: pg.Client, names: ArticleNames, tickets: readonly LabelledTicket[]): Promise<RankedTicket[]> {
  const ranked: RankedTicket[] = []
  await client.query('begin')
  await client.query(`select app.set_scope($1, $2, 'engineer', null, null, null)`, [accountId, userId])
  for (const ticket of tickets) {
    const start = performance.now()
    const { sql, parameters } = selectCandidates.query(ticket.text, null).compile()
    const { rows } = await client.query(sql, [...parameters])
    const found = rows.map((row) => ({ article: names.get(row.id) ?? null, score: row.score }))
    ranked.push({ ...ticket, found, milliseconds: performance.now() - start })
  }
  await client.query('rollback')
  return ranked
}

/** Return the share of tickets whose article is among the first three. */
export function measureHitRate(ranked: readonly RankedTicket[]): number {
  return ranked.filter(({ article, found }) => found.slice(0, 3).some((entry) => entry.article === article)).length / ranked.length
}
