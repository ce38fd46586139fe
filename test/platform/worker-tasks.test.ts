import { afterAll, expect, it } from 'vitest'
import { createAiSession } from '../support/ai.ts'
import { authorizationHeader, dashboard, startOwnService } from '../support/app.ts'
import { createAccount } from '../support/people.ts'

const service = await startOwnService({}, { platform: 'cloudflare' })
afterAll(() => service.close())

it('AIT-06 the Worker keeps the answer for a caller who leaves before it', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  await dashboard(service).setFault({ service: 'openai', mode: 'slow', delay_ms: 2500, times: 1 })
  const leaving = new AbortController()
  const request = fetch(`${service.api}/api/v1/ai-sessions/${id}/chat`, {
    method: 'POST',
    body: JSON.stringify({ message: 'The printer is offline.' }),
    headers: { 'content-type': 'application/json', ...authorizationHeader(admin.token) },
    signal: leaving.signal,
  }).then((response) => response.text())
  setTimeout(() => leaving.abort(), 100)
  await expect(request).rejects.toThrow()
  const readTasks = async () => (await admin.call('GET', '/ai/tasks')).body
  await expect.poll(async () => (await readTasks())[0]?.state, { timeout: 8000 }).toBe('finished')
  const { response } = (await admin.call('GET', `/ai/tasks/${(await readTasks())[0].id}`)).body
  expect(response.message).toMatchObject({ role: 'assistant', content: expect.any(String) })
})
