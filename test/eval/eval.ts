import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { startPostgres, withSuperuser } from '#local/postgres.ts'
import { root } from '#local/root.ts'
import type { EmbeddingsPort } from '#vendors/ai/embeddings.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { writeFeedbackCases } from './from-feedback.ts'
import { formatLines, insertFlows, isRight, rankLines, readProblemLines } from './problem-lines.ts'
import {
  embedEntries,
  insertArticles,
  measureHitRate,
  type RankedTicket,
  rankTickets,
  readTickets,
  readUnrelatedTickets,
} from './ranking.ts'
import { formatScoreboard, runPrompts } from './run-prompts.ts'

const { values } = parseArgs({
  options: { ranking: { type: 'boolean' }, 'from-feedback': { type: 'boolean' } },
})
const goal = 0.9

/** Ask the model at OPENAI_BASE_URL every recorded case, and print the scoreboard and the failed checks. */
async function evaluatePrompts(folder?: string): Promise<void> {
  const { OPENAI_BASE_URL: baseUrl = '', OPENAI_API_KEY: key = '', OPENAI_MODEL: model = '' } = process.env
  if (!baseUrl || !key || !model) throw new Error('Set OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL')
  // The local model answers by rules, and cannot judge.
  const isReal = !['127.0.0.1', 'localhost', '[::1]'].includes(new URL(baseUrl).hostname)
  const judge = isReal ? openAi({ baseUrl, key, model: process.env.EVAL_JUDGE_MODEL ?? model }) : undefined
  if (!judge) console.log('The local model cannot judge: whether the answers are correct is not measured.')
  const scored = await runPrompts(openAi({ baseUrl, key, model }), judge, folder)
  for (const { prompt, name, failure, ...score } of scored) {
    const failed = Object.entries(score).flatMap(([check, passed]) => (passed === false ? check : []))
    if (failed.length > 0)
      console.log(`${prompt}, ${name}: not ${failed.join(', ')}${failure ? ` (${failure})` : ''}`)
  }
  console.log(`\n${model}\n${formatScoreboard(scored)}`)
}

/**
 * Rank the articles of a folder for labelled tickets in a database of its own. Fail when a goal is missed.
 */
async function evaluateRanking(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'eval-'))
  const cluster = await startPostgres(join(folder, 'data'), { durable: false })
  const articles = process.env.ARTICLES_DIR
  const read = (name: string) => join(import.meta.dirname, name)
  await cluster.createDatabase('evaluation')
  try {
    await withSuperuser(cluster.port, 'evaluation', async (client) => {
      const names = await insertArticles(client, articles ?? read('articles'))
      const tickets = await rankTickets(
        client,
        names,
        await readTickets(read(articles ? 'runbook-tickets.tsv' : 'article-tickets.tsv')),
      )
      const unrelated = await rankTickets(
        client,
        names,
        await readUnrelatedTickets(read(articles ? 'unrelated-tickets.tsv' : 'foreign-tickets.tsv')),
      )
      if (!printRanking(tickets, unrelated)) process.exitCode = 1
      if (!articles) await printProblemLines(client)
    })
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Return the model that embeds, if the settings name one. */
function openEmbeddings(): EmbeddingsPort | undefined {
  const {
    OPENAI_BASE_URL: baseUrl = 'https://api.openai.com/v1',
    OPENAI_API_KEY: key,
    AI_EMBEDDING_MODEL: model,
  } = process.env
  return key && model ? openAi({ baseUrl, key, model }) : undefined
}

/**
 * Print how often a problem line finds its flow, or none when none fits, and the tuned lines that are wrong.
 */
async function printProblemLines(client: pg.Client): Promise<void> {
  const [names, lines] = [await insertFlows(client), await readProblemLines()]
  const ranked = await rankLines(client, names, lines)
  console.log(`\nBy words\n${formatLines(ranked)}`)
  const port = openEmbeddings()
  if (port) {
    await embedEntries(client, port)
    console.log(`\nBy words and ${port.model}\n${formatLines(await rankLines(client, names, lines, port))}`)
  }
  for (const { flow, text, found } of ranked.filter((line) => line.set === 'tune' && !isRight(line)))
    console.log(`  ${flow ?? 'none'}: ${text} -> ${found.join(', ') || 'nothing'}`)
}

/** Print hit rates and misses. Return whether both goals are reached. */
function printRanking(tickets: readonly RankedTicket[], unrelated: readonly RankedTicket[]): boolean {
  for (const set of ['tune', 'held'] as const) {
    const part = tickets.filter((ticket) => ticket.set === set)
    if (part.length === 0) continue
    console.log(
      `${set}: the right article is among the first three for ${(measureHitRate(part) * 100).toFixed(0)} % of ${part.length} tickets`,
    )
    for (const { article, text, found } of part.filter((ticket) => measureHitRate([ticket]) === 0))
      console.log(
        `  ${article}: ${text} -> ${found.map((entry) => entry.article ?? 'a flow').join(', ') || 'nothing'}`,
      )
  }
  const wrong = unrelated.filter(({ found }) => found.some(({ article }) => article !== null))
  console.log(
    `unrelated: an article is above the threshold for ${wrong.length} of ${unrelated.length} tickets`,
  )
  for (const { text } of wrong) console.log(`  ${text}`)
  return measureHitRate(tickets) >= goal && wrong.length === 0
}

const feedbackFolder = join(root, '.data/feedback-cases')

/**
 * Write the feedback of the database at DATABASE_OWNER_URL as cases, and ask the model these cases if one is
 * set.
 */
async function evaluateFeedback(): Promise<void> {
  const { DATABASE_OWNER_URL, OPENAI_API_KEY } = process.env
  if (!DATABASE_OWNER_URL)
    throw new Error('Set DATABASE_OWNER_URL to the connection string of the role that owns the database.')
  console.log(
    `Wrote ${await writeFeedbackCases(DATABASE_OWNER_URL, feedbackFolder)} cases to ${feedbackFolder}.`,
  )
  if (OPENAI_API_KEY) await evaluatePrompts(feedbackFolder)
}

if (values.ranking) await evaluateRanking()
else await (values['from-feedback'] ? evaluateFeedback() : evaluatePrompts())
