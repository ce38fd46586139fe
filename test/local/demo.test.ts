import { afterAll, expect, it } from 'vitest'
import { createDemoEscalation } from '#local/demo.ts'
import { startOwnService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService({}, { createEscalation: createDemoEscalation })
afterAll(() => service.close())

it('the demo escalation is a real case: in the queue and the stream, and a colleague picks it up', async () => {
  const { admin } = await createAccount(service)
  const stream = await openEscalationStream(service, admin)
  const response = await fetch(`${service.localOrigin}/desk/demo/escalation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account_of: admin.email, problem_summary: 'Reception cannot print' }),
  })
  const { session_id, handoff_id } = (await response.json()) as { session_id: string; handoff_id: string }
  expect((await admin.client.ai.escalations.listQueue())[0]).toMatchObject({ session_id, handoff_id, title: 'Reception cannot print' })
  await expect.poll(() => stream.events('handoff_created').map(({ data }) => data.session_id)).toEqual([session_id])
  expectStatus(await admin.call('POST', `/ai-sessions/${session_id}/pickup`), 200)
  stream.disconnect()
})
