import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { withSuperuser } from '#local/postgres.ts'
import { sharedService } from '#test/support/app.ts'
import { createMigratedDatabase } from '#test/support/migrations.ts'
import type { AiPort } from '#vendors/ai/ai.ts'
import { type Prompt, toCompletion } from '#vendors/ai/ask.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { readCases } from './cases.ts'
import { judgeAnswer } from './judge.ts'
import {
  formatLines,
  insertFlows,
  insertNewcomer,
  isRight,
  rankLines,
  readProblemLines,
} from './problem-lines.ts'
import { prompts } from './prompts.ts'
import { insertArticles, measureHitRate, rankTickets, readTickets, readUnrelatedTickets } from './ranking.ts'
import { formatScoreboard, runPrompts } from './run-prompts.ts'

const openLocalModel = ({
  OPENAI_BASE_URL: baseUrl = '',
  OPENAI_API_KEY: key = '',
  OPENAI_MODEL: model = '',
}: Record<string, string>) => openAi({ baseUrl, key, model })
const read = (name: string) => join(import.meta.dirname, name)

it('the ranking finds the article of each ticket, and no article for an unrelated ticket', async () => {
  const database = new URL(await createMigratedDatabase()).pathname.slice(1)
  await withSuperuser(inject('shared').postgresPort, database, async (client) => {
    const names = await insertArticles(client, read('articles'))
    expect(
      measureHitRate(await rankTickets(client, names, await readTickets(read('article-tickets.tsv')))),
    ).toBe(1)
    const unrelated = await rankTickets(
      client,
      names,
      await readUnrelatedTickets(read('foreign-tickets.tsv')),
    )
    expect(unrelated.flatMap(({ found }) => found.map(({ article }) => article).filter(Boolean))).toEqual([])
  })
})

it('an answer is correct only if the judge passes each criterion', async () => {
  const recorded = { name: 'a case', facts: {}, expect: { judge: ['It isolates.', 'It calls the lead.'] } }
  const judgeWith = (...passes: boolean[]) => {
    const text = JSON.stringify({
      verdicts: passes.map((pass, index) => ({ number: index + 1, words: '', passes: pass })),
    })
    return judgeAnswer({ complete: async () => ({ text }) } as unknown as AiPort, recorded, 'An answer')
  }
  expect([await judgeWith(true, true), await judgeWith(true, false), await judgeWith(true)]).toEqual([
    true,
    false,
    false,
  ])
})

it.each(['chat_turn', 'guided_step'])(
  'AIS-53 %s isolates first at a sign of an attack, with the local model too',
  async (name) => {
    const { settings } = await sharedService()
    const [prompt, recorded] = [
      prompts.find((candidate) => candidate.name === name),
      (await readCases(name)).find((one) => one.name.startsWith('ransomware')),
    ]
    const { text } = await openLocalModel(settings).complete(
      toCompletion(prompt as Prompt, recorded as never, 60_000),
    )
    expect(text).toContain('Disconnect the machine from the network')
    expect(text).not.toMatch(/\b[Rr]estart the server/)
  },
)

it('AIS-36 the ranking finds the flow of a line in 85 % for an account that has the shipped flows alone, and none that does not fit', async () => {
  const database = new URL(await createMigratedDatabase()).pathname.slice(1)
  await withSuperuser(inject('shared').postgresPort, database, async (client) => {
    const ranked = await rankLines(
      client,
      await insertNewcomer(client),
      await readProblemLines('shipped-lines.tsv'),
    )
    const [answered, unanswered] = [
      ranked.filter(({ flow }) => flow !== null),
      ranked.filter(({ flow }) => flow === null),
    ]
    expect(answered.filter(isRight).length / answered.length, formatLines(ranked)).toBeGreaterThanOrEqual(
      0.85,
    )
    expect(unanswered.filter((line) => !isRight(line)).map(({ text }) => text)).toEqual([])
  })
})

it('the ranking finds the flow of a problem line among three in 85 %, and a flow for at most one in 17 that none answers', async () => {
  const database = new URL(await createMigratedDatabase()).pathname.slice(1)
  await withSuperuser(inject('shared').postgresPort, database, async (client) => {
    const ranked = (await rankLines(client, await insertFlows(client), await readProblemLines())).filter(
      ({ set }) => set === 'held',
    )
    const answered = ranked.filter(({ flow, needsEmbeddings }) => flow !== null && !needsEmbeddings)
    const unanswered = ranked.filter(({ flow }) => flow === null)
    expect(answered.filter(isRight).length / answered.length, formatLines(ranked)).toBeGreaterThanOrEqual(
      0.85,
    )
    expect(
      unanswered.filter((line) => !isRight(line)).length / unanswered.length,
      formatLines(ranked),
    ).toBeLessThanOrEqual(1 / 17)
  })
})

it('the local model passes every check of every recorded case', async () => {
  const { settings } = await sharedService()
  const scored = await runPrompts(openLocalModel(settings))
  const failed = scored.filter((score) => Object.values(score).includes(false) || score.failure)
  expect(failed, formatScoreboard(scored)).toEqual([])
  expect(scored.length).toBeGreaterThanOrEqual(36)
})
