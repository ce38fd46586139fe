import { expect, it } from 'vitest'
import { fixScene } from '../../support/ai.ts'
import { type Answer, shared } from '../../support/app.ts'

const service = shared()
const scene = (about: Record<string, unknown> = {}) => fixScene(service, about)

const notes = { notes: 'In black only' }
const reason = { reason: 'Waits for the night’s restart' }
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
