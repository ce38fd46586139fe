import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { escalateSession } from '#test/support/escalations.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'

const service = await sharedService()

/** Create an account that masks its exports, and a session with a fact that is a secret. */
async function createScene() {
  const account = await createAccount(service)
  const { admin } = account
  await connectPsa(service, admin)
  await admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
  const session = await createAiSession(admin, {
    psa_ticket_id: '4711',
    problem_summary: 'Reception at 10.9.8.7 cannot print',
  })
  await service.sql(
    `insert into ai_facts (account_id, session_id, key, value, source, created_by) values ($1, $2, 'API key', '9f8e7d6c5b4a', 'user', $3)`,
    [admin.accountId, session.id, admin.id],
  )
  return { admin, session }
}
const selectNotes = async (accountId: string) =>
  (await service.sql<{ body: string }>('select body from psa_pushes where account_id = $1', [accountId])).map(
    ({ body }) => body,
  )

it('AUD-02 masks the documentation and the note of an escalation', async () => {
  const { admin, session } = await createScene()
  const { body } = await escalateSession(admin, session.id, {
    summary: 'Password: Winter2026!, see 10.9.8.7',
  })
  const [handoff] = await service.sql<{ documentation: string }>(
    'select documentation from ai_handoffs where session_id = $1',
    [session.id],
  )
  for (const text of [body.documentation, handoff?.documentation, ...(await selectNotes(admin.accountId))]) {
    expect(text).toContain('Reception at [masked IP] cannot print')
    expect(text).not.toMatch(/Winter2026|10\.9\.8\.7|9f8e7d6c5b4a/)
  }
  expect(await selectNotes(admin.accountId)).toHaveLength(1)
})

it('AUD-02 masks the documentation and the note of a resolved case', async () => {
  const { admin, session } = await createScene()
  const { body } = await admin.call('POST', `/ai-sessions/${session.id}/resolve`, {
    outcome: 'resolved',
    notes: 'pw is now Winter2026!',
  })
  const notes = await selectNotes(admin.accountId)
  expect(notes).toHaveLength(2)
  for (const text of [body.documentation, ...notes])
    expect(text).not.toMatch(/Winter2026|10\.9\.8\.7|9f8e7d6c5b4a/)
})

it('AUD-02 leaves the documentation as it is without the preference', async () => {
  const { admin, session } = await createScene()
  await admin.call('PATCH', '/accounts/me/preferences', { mask_exports: false })
  const { body } = await escalateSession(admin, session.id, { summary: 'Password: Winter2026!' })
  expect(body.documentation).toContain('Password: Winter2026!')
})
