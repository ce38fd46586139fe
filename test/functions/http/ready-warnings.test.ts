import { aroundEach, expect, it } from 'vitest'
import { createApp } from '#http/app.ts'
import { listShutdownWarnings, mountHealth } from '#http/health.ts'
import { modelName } from '#local/model/model.ts'
import { secrets } from '#local/settings.ts'
import { retiringModelName } from '#local/vendors/openai/openai-models.ts'
import { wireFormats } from '#local/vendors/openai/wire-formats.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { createAskContext } from '#test/support/ai-calls.ts'
import { type Service, sharedService } from '#test/support/app.ts'
import type { AiPort } from '#vendors/ai/ai.ts'
import { ask } from '#vendors/ai/ask.ts'
import { createCircuit } from '#vendors/ai/circuit.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { statusUpdate } from '#vendors/ai/prompts/writing.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

const service = await sharedService()

const openAiPort = (model: string, path = '') =>
  openAi({ key: secrets.openaiKey, baseUrl: `${service.localOrigin}/openai${path}`, model })

/** Ask `/ready` of a service with this model. */
async function readReady(model: string, authorization: string, ai: AiPort = openAiPort(model)) {
  const services = service.services as NonNullable<Service['services']>
  const withModel = { ...services, ports: { ...services.ports, ai } }
  const app = createApp(withModel)
  mountHealth(app, withModel)
  const response = await app.request('/ready', { headers: { authorization } })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it('AIM-04 warns the holder of the token of a model that is switched off within 60 days, and stays ready', async () => {
  const retiring = await readReady(retiringModelName, `Bearer ${secrets.readyToken}`)
  const warning = expect.stringMatching(
    /^The AI model local-rules-0 shuts down on \d{4}-\d\d-\d\d; set OPENAI_MODEL to its successor$/,
  )
  expect(retiring).toMatchObject({
    status: 200,
    body: { status: 'ok', warnings: [warning], checks: { ai: 'ok' } },
  })
  expect((await readReady(retiringModelName, '')).body).toEqual({ status: 'ok' })
  expect((await readReady(modelName, `Bearer ${secrets.readyToken}`)).body).not.toHaveProperty('warnings')
})

it('AIM-11 tells the holder of the token what the provider does not take', async () => {
  const ai = openAiPort(modelName, wireFormats.liteLlm.path)
  expect((await readReady(modelName, `Bearer ${secrets.readyToken}`, ai)).body).not.toHaveProperty('warnings')
  await ask({ ...createAskContext().context, ai }, statusUpdate, { facts: {} })
  const { status, body } = await readReady(modelName, `Bearer ${secrets.readyToken}`, ai)
  const warning =
    'The AI model local-rules-1 does not take json_schema, json_object, reasoning_effort, so requests leave it out'
  expect([status, body]).toMatchObject([200, { status: 'ok', warnings: [warning] }])
})

it('AIM-13 asks both providers, and tells the holder of the token that the second one answers', async () => {
  const retiring = openAiPort(retiringModelName)
  const circuit = createCircuit()
  const ai = { ...openAiPort(modelName), fallback: { ai: retiring, circuit } }
  const read = async () => (await readReady(modelName, `Bearer ${secrets.readyToken}`, ai)).body
  const shutdown = expect.stringContaining('set AI_FALLBACK_MODEL to its successor')
  expect(await read()).toMatchObject({ warnings: [shutdown], checks: { ai: 'ok', ai_fallback: 'ok' } })
  circuit.open()
  expect(await read()).toMatchObject({
    warnings: ['Calls to the AI model local-rules-1 fail, so local-rules-0 answers', shutdown],
  })
})

it.each([
  [null, 0],
  ['2026-01-01', 1],
  ['2026-12-11', 1],
  ['2027-01-21', 1],
  ['2027-01-22', 0],
])('AIM-04 on 2026-11-22 a shutdown on %s gives %i warnings', (date, count) => {
  const shutdownAt = date === null ? null : new Date(date)
  expect(
    listShutdownWarnings('m', 'OPENAI_MODEL', { shutdownAt }, Date.parse('2026-11-22T00:00:00Z')),
  ).toHaveLength(count)
})
