import { expect, it } from 'vitest'
import { fixScene, newAiSession } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { type Answer, shared } from '../../support/app.ts'

const service = shared()
const scene = (about: Record<string, unknown> = {}) => fixScene(service, about)

const notes = { notes: 'In black only' }
const reason = { reason: 'Waits for the night’s restart' }
const proposal = { outcome: 'applied_success', reason: '“That worked.”', created_at: '2026-11-21T09:30:00.000Z' }
const withProposal = { ai_outcome_proposal: JSON.stringify(proposal) }
const stateOf = ({ status, body }: Answer) => [status, body.code, body.status]

it('FIX-16 FIX-29 clears the model’s proposal and nothing else, once', async () => {
  const { owner, at, id, read, version } = await scene(withProposal)
  const before = await read()
  expect(before.ai_outcome_proposal).toEqual(proposal)
  for (const _ of [1, 2]) expectStatus(await owner.call('DELETE', `${at}/${id}/ai-outcome-proposal`), 204)
  expect(await read()).toEqual({ ...before, ai_outcome_proposal: null })
  expect(await version()).toBe(1)
})

it('FIX-17 clears the proposal with every outcome', async () => {
  for (const [status, more] of [
    ['applied_success', {}],
    ['applied_failed', {}],
    ['applied_partial', notes],
    ['applied_pending', reason],
    ['dismissed', {}],
  ] as const) {
    const { outcome } = await scene(withProposal)
    expect((await outcome(status, more)).body).toMatchObject({ status, ai_outcome_proposal: null })
  }
})

it('FIX-18 FIX-29 writes a script without applying it, and counts that', async () => {
  const { script, version, apply } = await scene()
  const { status, body } = await script({ script: 'Write-Output 1' })
  expect([status, body.ai_drafted_script, body.applied_at]).toEqual([200, 'Write-Output 1', null])
  expect(await version()).toBe(1)
  await script({ script: 'Write-Output 1' })
  expect(await version()).toBe(1)
  const { applied_at } = (await apply()).body
  expect((await script({ script: 'Write-Output 2' })).body.applied_at).toBe(applied_at)
})

it('FIX-19 refuses an empty script', async () => {
  const { script, read, version } = await scene()
  const before = await read()
  for (const body of [{}, { script: '' }, { script: ' \n\t' }, { script: null }]) expectStatus(await script(body), 422)
  expect([await read(), await version()]).toEqual([before, 0])
})

it('refuses a script whose parameters stand where no value is safe or that nobody declares', async () => {
  const { script } = await scene()
  const parameters = [{ name: 'service', label: 'Service', type: 'string' }]
  const refused = await script({ script: 'Restart-Service "{{ service }}"\n{{ other }}', parameters })
  expectStatus(refused, 422)
  expect(refused.body.errors.map(({ loc }: { loc: string[] }) => loc)).toEqual([
    ['body', 'script'],
    ['body', 'script'],
  ])
  expectStatus(await script({ script: 'docker ps --format "{{ names }}"' }), 200)
})

it('FIX-20 refuses a script for a settled fix', async () => {
  for (const last of ['applied_success', 'applied_failed', 'dismissed']) {
    const { script, outcome, version } = await scene()
    await outcome(last)
    expect(stateOf(await script({ script: 'Write-Output 1' }))).toEqual([409, 'fix_terminal', last])
    expect(await version()).toBe(1)
  }
})

it('FIX-21 does not know a fix under another session', async () => {
  const { owner, id, read } = await scene()
  const before = await read()
  const other = await newAiSession(owner)
  const at = `/ai-sessions/${other.id}/suggested-fixes/${id}`
  for (const [method, path, body] of [
    ['POST', '/apply', undefined],
    ['DELETE', '/ai-outcome-proposal', undefined],
    ['PATCH', '/outcome', { outcome: 'dismissed' }],
    ['PATCH', '/script', { script: 'Write-Output 1' }],
    ['POST', '/decision', { decision: 'one_off' }],
  ] as const)
    expectStatus(await owner.call(method, at + path, body), 404)
  expect(await read()).toEqual(before)
  expect((await owner.call('GET', `/ai-sessions/${other.id}`)).body.state_version).toBe(0)
})

it('AIS-33 is no reader’s to change: 403 while the session waits for somebody, 404 before', async () => {
  const { account, session, apply, read } = await scene()
  const colleague = await account.colleague()
  expectStatus(await apply(colleague), 404)
  await service.sql(`update ai_sessions set status = 'escalated' where id = $1`, [session.id])
  expectStatus(await apply(colleague), 403)
  expect(await read()).toMatchObject({ applied_at: null })
})
