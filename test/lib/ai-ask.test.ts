import { expect, it } from 'vitest'
import { z } from 'zod'
import type { AiPort } from '../../lib/ai/ai.ts'
import { ask } from '../../lib/ai/ask.ts'
import { openAi } from '../../lib/ai/openai.ts'
import { secrets, startTestServer } from '../local/test-server.ts'

const prompt = { name: 'status_update', version: 1, instructions: 'Write.', answer: z.strictObject({ text: z.string() }), maxTokens: 100 }
const nowhere = { db: {} as never, config: { AI_REDACTION: 'none' as const } }

/** The vendor's client before a provider that never answers, with its patience cut to a fraction; hears how long it was told to wait. */
async function silent(shorten: (ms: number) => number) {
  const local = await startTestServer()
  local.faults.set({ service: 'openai', mode: 'hang', times: 9 })
  const real = openAi({ key: secrets.openaiKey, baseUrl: `${local.origin}/openai`, model: 'any' })
  const told: number[] = []
  const ai: AiPort = {
    model: real.model,
    complete(completion) {
      told.push(completion.timeoutMs)
      return real.complete({ ...completion, timeoutMs: shorten(completion.timeoutMs) })
    },
  }
  const requests = () => 9 - (local.faults.peek('openai')?.times ?? 0)
  return { ai, told, requests }
}

it('AIS-25 cuts a call at 120 seconds, asks once more, and then gives up: two requests in all', async () => {
  const { ai, told, requests } = await silent((ms) => ms / 600)
  const began = performance.now()
  const asked = ask({ ...nowhere, ai }, prompt, { facts: {} })
  await expect(asked).rejects.toMatchObject({ kind: 'ai_provider_error', status: 502, message: 'The AI provider did not answer in time; try again' })
  expect(told).toEqual([120_000, 120_000])
  expect(requests()).toBe(2)
  const took = performance.now() - began
  expect(took).toBeGreaterThan(390)
  expect(took).toBeLessThan(3000)
})

it('keeps all calls of a prompt within its own ceiling', async () => {
  const { ai, told, requests } = await silent((ms) => ms)
  await expect(ask({ ...nowhere, ai }, { ...prompt, totalMs: 300 }, { facts: {} })).rejects.toMatchObject({ status: 502 })
  expect(told.every((ms) => ms <= 300)).toBe(true)
  expect(requests()).toBe(1)
})
