import { expect, it } from 'vitest'
import { newAiSession, suggestFix } from '../support/ai.ts'
import { type Answer, shared } from '../support/app.ts'
import { newAccount, type Person } from '../support/people.ts'

const service = shared()

/** A fix of somebody's session, and what can be done with it. */
async function scene(about: Record<string, unknown> = {}) {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const session = await newAiSession(owner)
  const id = await suggestFix(service, session, about)
  const at = `/ai-sessions/${session.id}/suggested-fixes`
  const version = async () => (await owner.call('GET', `/ai-sessions/${session.id}/facts`)).body.state_version as number
  const read = async () => (await owner.call('GET', at)).body[0]
  const apply = (person: Person = owner) => person.call('POST', `${at}/${id}/apply`)
  const outcome = (outcome: string, more: object = {}) => owner.call('PATCH', `${at}/${id}/outcome`, { outcome, ...more })
  const script = (body: object) => owner.call('PATCH', `${at}/${id}/script`, body)
  return { account, owner, session, id, at, version, read, apply, outcome, script }
}

const notes = { notes: 'In black only' }
const reason = { reason: 'Waits for the night’s restart' }
const proposal = { outcome: 'applied_success', reason: '“That worked.”', created_at: '2026-11-21T09:30:00.000Z' }
const withProposal = { ai_outcome_proposal: JSON.stringify(proposal) }
const stateOf = ({ status, body }: Answer) => [status, body.code, body.status]

it('FIX-01 FIX-29 stamps when a fix is applied, keeps it proposed and counts that', async () => {
  const { apply, version } = await scene()
  const { status, body } = await apply()
  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'proposed', applied_at: expect.any(String), verified_at: null })
  expect(await version()).toBe(1)
})

it('FIX-02 FIX-29 leaves the first time of a fix applied twice, and counts nothing', async () => {
  const { apply, version, read } = await scene()
  const first = (await apply()).body
  expect((await apply()).body).toEqual(first)
  expect(await read()).toEqual(first)
  expect(await version()).toBe(1)
})

it('FIX-03 refuses to apply a fix past proposed', async () => {
  for (const [status, more] of [
    ['applied_partial', notes],
    ['applied_pending', reason],
    ['applied_success', {}],
    ['dismissed', {}],
  ] as const) {
    const { apply, outcome, version } = await scene()
    await outcome(status, more)
    expect(stateOf(await apply())).toEqual([409, 'fix_past_proposed', status])
    expect(await version()).toBe(1)
  }
})

it('FIX-04 FIX-06 FIX-07 takes a success as final, with the times of both', async () => {
  const { outcome, version } = await scene()
  const { body } = await outcome('applied_success')
  expect(body).toMatchObject({ status: 'applied_success', applied_at: expect.any(String), verified_at: expect.any(String) })
  expect(body.applied_at).toBe(body.verified_at)
  expect(await version()).toBe(1)
})

it('FIX-05 FIX-06 takes a failure as final with its reason, and leaves when it was applied', async () => {
  const { apply, outcome, version } = await scene()
  const { applied_at } = (await apply()).body
  const { body } = await outcome('applied_failed', { notes: 'The service stops again' })
  expect(body).toMatchObject({ status: 'applied_failed', applied_at, failure_reason: 'The service stops again' })
  expect(body.verified_at >= applied_at).toBe(true)
  expect(await version()).toBe(2)
})

it('FIX-08 FIX-10 refuses partial without notes and pending without a reason, blanks included, and changes nothing', async () => {
  const { outcome, version, read } = await scene()
  const before = await read()
  for (const [status, more, field] of [
    ['applied_partial', {}, 'notes'],
    ['applied_partial', { notes: '  ' }, 'notes'],
    ['applied_partial', reason, 'notes'],
    ['applied_pending', {}, 'reason'],
    ['applied_pending', { reason: '\n' }, 'reason'],
    ['applied_pending', notes, 'reason'],
  ] as const) {
    const answer = await outcome(status, more)
    expect([answer.status, answer.body.errors[0].loc]).toEqual([422, ['body', field]])
  }
  expect([await read(), await version()]).toEqual([before, 0])
  expect((await outcome('applied_partial', notes)).body).toMatchObject({
    status: 'applied_partial',
    partial_notes: notes.notes,
    verified_at: null,
  })
})

it('FIX-09 lets success or failure follow on partial', async () => {
  for (const last of ['applied_success', 'applied_failed']) {
    const { outcome, version } = await scene()
    await outcome('applied_partial', notes)
    expect((await outcome(last)).body).toMatchObject({ status: last, verified_at: expect.any(String), partial_notes: notes.notes })
    expect(await version()).toBe(2)
  }
})

it('FIX-11 FIX-12 takes pending as applied and not verified, and a success or failure as its end', async () => {
  for (const last of ['applied_success', 'applied_failed']) {
    const { outcome } = await scene()
    const { body } = await outcome('applied_pending', reason)
    expect(body).toMatchObject({
      status: 'applied_pending',
      pending_reason: reason.reason,
      applied_at: expect.any(String),
      verified_at: null,
    })
    expect((await outcome(last)).body).toMatchObject({ status: last, applied_at: body.applied_at, verified_at: expect.any(String) })
    expect(stateOf(await outcome('applied_pending', reason))).toEqual([409, 'fix_terminal', last])
  }
})

it('FIX-13 FIX-29 replaces the reason of a pending fix, and the same once more changes nothing', async () => {
  const { outcome, version } = await scene()
  const first = (await outcome('applied_pending', reason)).body
  const second = (await outcome('applied_pending', { reason: 'Waits for a part' })).body
  expect(second).toEqual({ ...first, pending_reason: 'Waits for a part' })
  expect((await outcome('applied_pending', { reason: 'Waits for a part' })).body).toEqual(second)
  expect(await version()).toBe(2)
})

it('FIX-28 lets partial and pending follow each other, and keeps when it was applied', async () => {
  const { outcome } = await scene()
  const { applied_at } = (await outcome('applied_partial', notes)).body
  await outcome('applied_pending', reason)
  expect((await outcome('applied_partial', { notes: 'Colours too' })).body).toMatchObject({
    status: 'applied_partial',
    applied_at,
    partial_notes: 'Colours too',
  })
})

it('FIX-14 FIX-27 refuses every outcome of a settled fix', async () => {
  for (const last of ['applied_success', 'applied_failed', 'dismissed']) {
    const { outcome, version, read } = await scene()
    await outcome(last)
    const before = await read()
    for (const [next, more] of [
      ['applied_success', {}],
      ['applied_failed', {}],
      ['applied_partial', notes],
      ['applied_pending', reason],
      ['dismissed', {}],
    ] as const)
      expect(stateOf(await outcome(next, more))).toEqual([409, 'fix_terminal', last])
    expect([await read(), await version()]).toEqual([before, 1])
  }
})

it('FIX-15 dismisses what is proposed, partial or pending', async () => {
  for (const [before, more] of [
    [null, {}],
    ['applied_partial', notes],
    ['applied_pending', reason],
  ] as const) {
    const { outcome } = await scene()
    const applied_at = before && (await outcome(before, more)).body.applied_at
    expect((await outcome('dismissed')).body).toMatchObject({ status: 'dismissed', applied_at, verified_at: null })
  }
})

it('FIX-16 FIX-29 clears the model’s proposal and nothing else, once', async () => {
  const { owner, at, id, read, version } = await scene(withProposal)
  const before = await read()
  expect(before.ai_outcome_proposal).toEqual(proposal)
  for (const _ of [1, 2]) expect((await owner.call('DELETE', `${at}/${id}/ai-outcome-proposal`)).status).toBe(204)
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
  for (const body of [{}, { script: '' }, { script: ' \n\t' }, { script: null }]) expect((await script(body)).status).toBe(422)
  expect([await read(), await version()]).toEqual([before, 0])
})

it('refuses a script whose parameters stand where no value is safe or that nobody declares', async () => {
  const { script } = await scene()
  const parameters = [{ name: 'service', label: 'Service', type: 'string' }]
  const refused = await script({ script: 'Restart-Service "{{ service }}"\n{{ other }}', parameters })
  expect(refused.status).toBe(422)
  expect(refused.body.errors.map(({ loc }: { loc: string[] }) => loc)).toEqual([
    ['body', 'script'],
    ['body', 'script'],
  ])
  expect((await script({ script: 'docker ps --format "{{ names }}"' })).status).toBe(200)
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
    expect((await owner.call(method, at + path, body)).status).toBe(404)
  expect(await read()).toEqual(before)
  expect((await owner.call('GET', `/ai-sessions/${other.id}`)).body.state_version).toBe(0)
})

it('AIS-33 is no reader’s to change: 403 while the session waits for somebody, 404 before', async () => {
  const { account, session, apply, read } = await scene()
  const colleague = await account.colleague()
  expect((await apply(colleague)).status).toBe(404)
  await service.sql(`update ai_sessions set status = 'escalated' where id = $1`, [session.id])
  expect((await apply(colleague)).status).toBe(403)
  expect(await read()).toMatchObject({ applied_at: null })
})
