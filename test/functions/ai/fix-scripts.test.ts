import { expect, it } from 'vitest'
import { createAiSession, createFixScene } from '#test/support/ai.ts'
import { type ApiResponse, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'

const service = await sharedService()
const createScene = (fields: Record<string, unknown> = {}) => createFixScene(service, fields)

const notes = { notes: 'In black only' }
const reason = { reason: 'Waits for the night’s restart' }
const proposal = {
  outcome: 'applied_success',
  reason: '“That worked.”',
  created_at: '2026-11-21T09:30:00.000Z',
}
const withProposal = { ai_outcome_proposal: JSON.stringify(proposal) }
const pickStatusAndCode = ({ status, body }: ApiResponse) => [status, body.code, body.status]

it('FIX-16 FIX-29 clears only the model’s proposal, and increments state_version once', async () => {
  const { owner, fixesPath, id, readFix, readStateVersion } = await createScene(withProposal)
  const before = await readFix()
  expect(before.ai_outcome_proposal).toEqual(proposal)
  for (const _ of [1, 2])
    expectStatus(await owner.call('DELETE', `${fixesPath}/${id}/ai-outcome-proposal`), 204)
  expect(await readFix()).toEqual({ ...before, ai_outcome_proposal: null })
  expect(await readStateVersion()).toBe(1)
})

it('FIX-17 clears the proposal with every outcome', async () => {
  for (const [status, explanation] of [
    ['applied_success', {}],
    ['applied_failed', {}],
    ['applied_partial', notes],
    ['applied_pending', reason],
    ['dismissed', {}],
  ] as const) {
    const { reportOutcome } = await createScene(withProposal)
    expect((await reportOutcome(status, explanation)).body).toMatchObject({
      status,
      ai_outcome_proposal: null,
    })
  }
})

it('FIX-18 FIX-29 updates the script without applying the fix, and increments state_version', async () => {
  const { editScript, readStateVersion, applyFix } = await createScene()
  const { status, body } = await editScript({ script: 'Write-Output 1' })
  expect([status, body.ai_drafted_script, body.applied_at]).toEqual([200, 'Write-Output 1', null])
  expect(await readStateVersion()).toBe(1)
  await editScript({ script: 'Write-Output 1' })
  expect(await readStateVersion()).toBe(1)
  const { applied_at } = (await applyFix()).body
  expect((await editScript({ script: 'Write-Output 2' })).body.applied_at).toBe(applied_at)
})

it('FIX-19 refuses an empty script', async () => {
  const { editScript, readFix, readStateVersion } = await createScene()
  const before = await readFix()
  for (const body of [{}, { script: '' }, { script: ' \n\t' }, { script: null }])
    expectStatus(await editScript(body), 422)
  expect([await readFix(), await readStateVersion()]).toEqual([before, 0])
})

it('refuses a script with unsafe or undeclared placeholders', async () => {
  const { editScript } = await createScene()
  const parameters = [{ name: 'service', label: 'Service', type: 'string' }]
  const refused = await editScript({ script: 'Restart-Service "{{ service }}"\n{{ other }}', parameters })
  expectStatus(refused, 422)
  expect(refused.body.errors.map(({ loc }: { loc: string[] }) => loc)).toEqual([
    ['body', 'script'],
    ['body', 'script'],
  ])
  expectStatus(await editScript({ script: 'docker ps --format "{{ names }}"' }), 200)
})

it('FIX-20 refuses a script for a fix with a final outcome', async () => {
  for (const finalOutcome of ['applied_success', 'applied_failed', 'dismissed']) {
    const { editScript, reportOutcome, readStateVersion } = await createScene()
    await reportOutcome(finalOutcome)
    expect(pickStatusAndCode(await editScript({ script: 'Write-Output 1' }))).toEqual([
      409,
      'already_decided',
      finalOutcome,
    ])
    expect(await readStateVersion()).toBe(1)
  }
})

it('FIX-21 returns 404 for a fix under another session', async () => {
  const { owner, id, readFix } = await createScene()
  const before = await readFix()
  const otherSession = await createAiSession(owner)
  const otherPath = `/ai-sessions/${otherSession.id}/suggested-fixes/${id}`
  for (const [method, path, body] of [
    ['POST', '/apply', undefined],
    ['DELETE', '/ai-outcome-proposal', undefined],
    ['PATCH', '/outcome', { outcome: 'dismissed' }],
    ['PATCH', '/script', { script: 'Write-Output 1' }],
    ['POST', '/decision', { decision: 'one_off' }],
  ] as const)
    expectStatus(await owner.call(method, otherPath + path, body), 404)
  expect(await readFix()).toEqual(before)
  expect((await owner.call('GET', `/ai-sessions/${otherSession.id}`)).body.state_version).toBe(0)
})

it('AIS-33 returns 404 for a colleague’s change, and 403 once the session is escalated', async () => {
  const { account, session, applyFix, readFix } = await createScene()
  const colleague = await account.addColleague()
  expectStatus(await applyFix(colleague), 404)
  await service.sql(`update ai_sessions set status = 'escalated' where id = $1`, [session.id])
  expectStatus(await applyFix(colleague), 403)
  expect(await readFix()).toMatchObject({ applied_at: null })
})
