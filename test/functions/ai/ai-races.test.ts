import { afterAll, expect, it } from 'vitest'
import { newAiSession, suggestFix } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = await ownService()
const { fault } = desk(service)
afterAll(() => service.close())

const said = 'Printer PRN-2F-03 at Fabrikam Legal shows offline, error 0x00000bcb.'
const people = async (count: number): Promise<Person[]> => {
  const account = await newAccount(service)
  return Promise.all(Array.from({ length: count }, () => account.colleague()))
}

it('AIS-08 AIS-09 keeps what 32 edits wrote by hand while the model was thinking', async () => {
  const [owner] = (await people(1)) as [Person]
  const { id } = await newAiSession(owner)
  const at = `/ai-sessions/${id}`
  const mine = (await owner.call('PATCH', `${at}/triage`, { evidence_items: ['The light is red'] })).body.evidence_items
  await fault({ service: 'openai', mode: 'slow', delay_ms: 1500, times: 1 })
  const chat = owner.call('POST', `${at}/chat`, { message: said })
  const edits = await Promise.all(
    Array.from({ length: 32 }, (_, n) => owner.call('PATCH', `${at}/triage`, { client_name: `Client ${n}`, asset_name: `PC-${n}` })),
  )
  expect(edits.map(({ status }) => status)).toEqual(edits.map(() => 200))
  const byHand = (await owner.call('GET', at)).body
  const { status, body } = await chat
  expect(status).toBe(200)
  expect([body.triage_update.client_name, body.triage_update.asset_name]).toEqual([undefined, undefined])
  const after = (await owner.call('GET', at)).body
  expect([after.client_name, after.asset_name]).toEqual([byHand.client_name, byHand.asset_name])
  expect(after.evidence_items).toEqual([...mine, { id: expect.any(String), text: said, source: 'ai', created_at: expect.any(String) }])
  expect(after.issue_category).toBe('Printing')
})

it('AIS-08 lets the hand win in 32 sessions, whichever of the two comes first', async () => {
  const owners = await people(32)
  const rounds = owners.map(async (owner) => {
    const { id } = await newAiSession(owner)
    const [chat, edit] = await Promise.all([
      owner.call('POST', `/ai-sessions/${id}/chat`, { message: said }),
      owner.call('PATCH', `/ai-sessions/${id}/triage`, { client_name: 'By hand', asset_name: 'PC-1' }),
    ])
    expect([chat.status, edit.status]).toEqual([200, 200])
    const { client_name, asset_name, evidence_items } = (await owner.call('GET', `/ai-sessions/${id}`)).body
    return [client_name, asset_name, evidence_items.length]
  })
  expect(await Promise.all(rounds)).toEqual(owners.map(() => ['By hand', 'PC-1', 1]))
})

it('AIS-09 loses no evidence when 8 turns of one session end at once, and counts every fact', async () => {
  const [owner] = (await people(1)) as [Person]
  const { id } = await newAiSession(owner)
  const turns = Array.from({ length: 8 }, (_, n) =>
    owner.call('POST', `/ai-sessions/${id}/chat`, { message: `Error number ${n} is shown.\nkey ${'abcdefgh'[n]}: value ${n}` }),
  )
  expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(turns.map(() => 200))
  const { evidence_items, facts, state_version } = (await owner.call('GET', `/ai-sessions/${id}`)).body
  const texts = evidence_items.map(({ text }: { text: string }) => text)
  for (let n = 0; n < 8; n++) expect(texts).toContain(`Error number ${n} is shown.`)
  expect([facts.length, state_version]).toEqual([8, 8])
})

it('FIX-17 leaves no proposal on a fix that was settled while the model read its outcome', async () => {
  const owners = await people(16)
  const rounds = owners.map(async (owner) => {
    const session = await newAiSession(owner)
    const at = `/ai-sessions/${session.id}/suggested-fixes/${await suggestFix(service, session)}`
    const [, settled] = await Promise.all([
      owner.call('POST', `/ai-sessions/${session.id}/chat`, { message: 'That worked.' }),
      owner.call('PATCH', `${at}/outcome`, { outcome: 'applied_failed' }),
    ])
    expectStatus(settled, 200)
    return (await owner.call('GET', `/ai-sessions/${session.id}`)).body.suggested_fixes[0]
  })
  for (const fix of await Promise.all(rounds)) expect(fix).toMatchObject({ status: 'applied_failed', ai_outcome_proposal: null })
})
