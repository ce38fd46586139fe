import { expect, it } from 'vitest'
import * as z from 'zod'
import type { AiPort } from '../../lib/ai/ai.ts'
import { ask } from '../../lib/ai/ask.ts'
import { openAi } from '../../lib/ai/openai.ts'
import { secrets, startTestServer } from '../local/test-server.ts'

const prompt = { name: 'status_update', version: 1, instructions: 'Write.', answer: z.strictObject({ text: z.string() }), maxTokens: 100 }
const context = { db: {} as never, config: { AI_REDACTION: 'none' as const } }

/**
 * Create an AI port whose provider never responds. `shorten` returns the time-out to use instead of the requested one, so that a test
 * can be fast. `timeouts` lists the requested time-outs in milliseconds.
 */
async function createSilentAi(shorten: (ms: number) => number) {
  const local = await startTestServer()
  local.faults.set({ service: 'openai', mode: 'hang', times: 9 })
  const openAiPort = openAi({ key: secrets.openaiKey, baseUrl: `${local.origin}/openai`, model: 'any' })
  const timeouts: number[] = []
  const ai: AiPort = {
    ...openAiPort,
    complete(completion) {
      timeouts.push(completion.timeoutMs)
      return openAiPort.complete({ ...completion, timeoutMs: shorten(completion.timeoutMs) })
    },
  }
  const countRequests = () => 9 - (local.faults.peek('openai')?.times ?? 0)
  return { ai, timeouts, countRequests }
}

it('AIS-25 aborts a call after 120 seconds, retries once, and then fails', async () => {
  const { ai, timeouts, countRequests } = await createSilentAi((ms) => ms / 600)
  const startedAt = performance.now()
  const answer = ask({ ...context, ai }, prompt, { facts: {} })
  await expect(answer).rejects.toMatchObject({
    kind: 'ai_provider_error',
    status: 502,
    message: 'The AI provider did not answer in time; try again',
  })
  expect(timeouts).toEqual([120_000, 120_000])
  expect(countRequests()).toBe(2)
  const elapsedMs = performance.now() - startedAt
  expect(elapsedMs).toBeGreaterThan(390)
  expect(elapsedMs).toBeLessThan(3000)
})

it('fails a prompt when its calls have taken totalMs in total', async () => {
  const { ai, timeouts, countRequests } = await createSilentAi((ms) => ms)
  await expect(ask({ ...context, ai }, { ...prompt, totalMs: 300 }, { facts: {} })).rejects.toMatchObject({ status: 502 })
  expect(timeouts.every((ms) => ms <= 300)).toBe(true)
  expect(countRequests()).toBe(1)
})
