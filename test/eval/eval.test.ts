import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { withSuperuser } from '#local/postgres.ts'
import { sharedService } from '#test/support/app.ts'
import { createMigratedDatabase } from '#test/support/migrations.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { insertArticles, measureHitRate, rankTickets, readTickets, readUnrelatedTickets } from './ranking.ts'
import { formatScoreboard, runPrompts } from './run-prompts.ts'

const read = (name: string) => join(import.meta.dirname, name)

it('the ranking finds the article of each ticket, and no article for an unrelated ticket', async () => {
  const database = new URL(await createMigratedDatabase()).pathname.slice(1)
  await withSuperuser(inject('shared').postgresPort, database, async (client) => {
    const names = await insertArticles(client, read('articles'))
    expect(measureHitRate(await rankTickets(client, names, await readTickets(read('article-tickets.tsv'))))).toBe(1)
    const unrelated = await rankTickets(client, names, await readUnrelatedTickets(read('foreign-tickets.tsv')))
    expect(unrelated.flatMap(({ found }) => found.map(({ article }) => article).filter(Boolean))).toEqual([])
  })
})

it('the local model passes every check of every recorded case', async () => {
  const { settings } = await sharedService()
  const scored = await runPrompts(
    openAi({ baseUrl: settings.OPENAI_BASE_URL ?? '', key: settings.OPENAI_API_KEY ?? '', model: settings.OPENAI_MODEL ?? '' }),
  )
  const failed = scored.filter((score) => Object.values(score).includes(false) || score.failure)
  expect(failed, formatScoreboard(scored)).toEqual([])
  expect(scored.length).toBeGreaterThanOrEqual(36)
})
