import { afterAll, expect, it } from 'vitest'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService()
const { setFault } = dashboard(service)
afterAll(() => service.close())

const symptom = 'Printer PRN-2F-03 at Fabrikam Legal shows offline, error 0x00000bcb.'
const createEngineers = async (count: number): Promise<Person[]> => {
  const account = await createAccount(service)
  return Promise.all(Array.from({ length: count }, () => account.addColleague()))
}

it('AIS-08 AIS-09 keeps 32 manual edits that are saved while the model answers', async () => {
  const [owner] = (await createEngineers(1)) as [Person]
  const { id } = await createAiSession(owner)
  const sessionPath = `/ai-sessions/${id}`
  const ownEvidence = (
    await owner.call('PATCH', `${sessionPath}/triage`, { evidence_items: ['The light is red'] })
  ).body.evidence_items
  await setFault({ service: 'openai', mode: 'slow', delay_ms: 1500, times: 1 })
  const chat = owner.call('POST', `${sessionPath}/chat`, { message: symptom })
  const edits = await Promise.all(
    Array.from({ length: 32 }, (_, n) =>
      owner.call('PATCH', `${sessionPath}/triage`, { client_name: `Client ${n}`, asset_name: `PC-${n}` }),
    ),
  )
  expect(edits.map(({ status }) => status)).toEqual(edits.map(() => 200))
  const edited = (await owner.call('GET', sessionPath)).body
  const { status, body } = await chat
  expect(status).toBe(200)
  expect([body.triage_update.client_name, body.triage_update.asset_name]).toEqual([undefined, undefined])
  const after = (await owner.call('GET', sessionPath)).body
  expect([after.client_name, after.asset_name]).toEqual([edited.client_name, edited.asset_name])
  expect(after.evidence_items).toEqual([
    ...ownEvidence,
    { id: expect.any(String), text: symptom, source: 'ai', created_at: expect.any(String) },
  ])
  expect(after.issue_category).toBe('Printing')
})

it(
  'AIS-08 keeps the manual edit in 32 sessions, whether the edit or the chat turn comes first',
  night,
  async () => {
    const owners = await createEngineers(32)
    const rounds = owners.map(async (owner) => {
      const { id } = await createAiSession(owner)
      const [chat, edit] = await Promise.all([
        owner.call('POST', `/ai-sessions/${id}/chat`, { message: symptom }),
        owner.call('PATCH', `/ai-sessions/${id}/triage`, { client_name: 'By hand', asset_name: 'PC-1' }),
      ])
      expect([chat.status, edit.status]).toEqual([200, 200])
      const { client_name, asset_name, evidence_items } = (await owner.call('GET', `/ai-sessions/${id}`)).body
      return [client_name, asset_name, evidence_items.length]
    })
    expect(await Promise.all(rounds)).toEqual(owners.map(() => ['By hand', 'PC-1', 1]))
  },
)

it('AIS-09 loses no evidence and counts every fact when 8 turns of one session run concurrently', async () => {
  const [owner] = (await createEngineers(1)) as [Person]
  const { id } = await createAiSession(owner)
  const turns = Array.from({ length: 8 }, (_, n) =>
    owner.call('POST', `/ai-sessions/${id}/chat`, {
      message: `Error number ${n} is shown.\nkey ${'abcdefgh'[n]}: value ${n}`,
    }),
  )
  expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(turns.map(() => 200))
  const { evidence_items, facts, state_version } = (await owner.call('GET', `/ai-sessions/${id}`)).body
  const texts = evidence_items.map(({ text }: { text: string }) => text)
  for (let n = 0; n < 8; n++) expect(texts).toContain(`Error number ${n} is shown.`)
  expect([facts.length, state_version]).toEqual([8, 8])
})

it('FIX-17 leaves no proposal on a fix whose outcome was recorded while the model answered', async () => {
  const owners = await createEngineers(16)
  const rounds = owners.map(async (owner) => {
    const session = await createAiSession(owner)
    const fixPath = `/ai-sessions/${session.id}/suggested-fixes/${await insertFix(service, session)}`
    const [, recorded] = await Promise.all([
      owner.call('POST', `/ai-sessions/${session.id}/chat`, { message: 'That worked.' }),
      owner.call('PATCH', `${fixPath}/outcome`, { outcome: 'applied_failed' }),
    ])
    expectStatus(recorded, 200)
    return (await owner.call('GET', `/ai-sessions/${session.id}`)).body.suggested_fixes[0]
  })
  for (const fix of await Promise.all(rounds))
    expect(fix).toMatchObject({ status: 'applied_failed', ai_outcome_proposal: null })
})
