import { expect, it } from 'vitest'
import { createFixScene } from '#test/support/ai.ts'
import { type ApiResponse, sharedService } from '#test/support/app.ts'

const service = await sharedService()
const createScene = (fields: Record<string, unknown> = {}) => createFixScene(service, fields)

const notes = { notes: 'In black only' }
const reason = { reason: 'Waits for the night’s restart' }
const pickStatusCodeAndFixStatus = ({ status, body }: ApiResponse) => [status, body.code, body.status]

it('FIX-01 FIX-29 records when a fix is applied, keeps it proposed and increments state_version', async () => {
  const { applyFix, readStateVersion } = await createScene()
  const { status, body } = await applyFix()
  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'proposed', applied_at: expect.any(String), verified_at: null })
  expect(await readStateVersion()).toBe(1)
})

it('FIX-02 FIX-29 keeps the first applied_at when a fix is applied twice, and increments state_version once', async () => {
  const { applyFix, readStateVersion, readFix } = await createScene()
  const first = (await applyFix()).body
  expect((await applyFix()).body).toEqual(first)
  expect(await readFix()).toEqual(first)
  expect(await readStateVersion()).toBe(1)
})

it('FIX-03 refuses to apply a fix that has an outcome', async () => {
  for (const [status, explanation] of [
    ['applied_partial', notes],
    ['applied_pending', reason],
    ['applied_success', {}],
    ['dismissed', {}],
  ] as const) {
    const { applyFix, reportOutcome, readStateVersion } = await createScene()
    await reportOutcome(status, explanation)
    expect(pickStatusCodeAndFixStatus(await applyFix())).toEqual([409, 'already_decided', status])
    expect(await readStateVersion()).toBe(1)
  }
})

it('FIX-04 FIX-06 FIX-07 records a success with applied_at and verified_at', async () => {
  const { reportOutcome, readStateVersion } = await createScene()
  const { body } = await reportOutcome('applied_success')
  expect(body).toMatchObject({
    status: 'applied_success',
    applied_at: expect.any(String),
    verified_at: expect.any(String),
  })
  expect(body.applied_at).toBe(body.verified_at)
  expect(await readStateVersion()).toBe(1)
})

it('FIX-05 FIX-06 records a failure with its reason, and keeps applied_at', async () => {
  const { applyFix, reportOutcome, readStateVersion } = await createScene()
  const { applied_at } = (await applyFix()).body
  const { body } = await reportOutcome('applied_failed', { notes: 'The service stops again' })
  expect(body).toMatchObject({
    status: 'applied_failed',
    applied_at,
    failure_reason: 'The service stops again',
  })
  expect(body.verified_at >= applied_at).toBe(true)
  expect(await readStateVersion()).toBe(2)
})

it('FIX-08 FIX-10 refuses a partial outcome without notes and a pending one without a reason, and changes nothing', async () => {
  const { reportOutcome, readStateVersion, readFix } = await createScene()
  const before = await readFix()
  for (const [status, explanation, field] of [
    ['applied_partial', {}, 'notes'],
    ['applied_partial', { notes: '  ' }, 'notes'],
    ['applied_partial', reason, 'notes'],
    ['applied_pending', {}, 'reason'],
    ['applied_pending', { reason: '\n' }, 'reason'],
    ['applied_pending', notes, 'reason'],
  ] as const) {
    const response = await reportOutcome(status, explanation)
    expect([response.status, response.body.errors[0].loc]).toEqual([422, ['body', field]])
  }
  expect([await readFix(), await readStateVersion()]).toEqual([before, 0])
  expect((await reportOutcome('applied_partial', notes)).body).toMatchObject({
    status: 'applied_partial',
    partial_notes: notes.notes,
    verified_at: null,
  })
})

it('FIX-09 accepts success or failure after a partial outcome', async () => {
  for (const finalOutcome of ['applied_success', 'applied_failed']) {
    const { reportOutcome, readStateVersion } = await createScene()
    await reportOutcome('applied_partial', notes)
    expect((await reportOutcome(finalOutcome)).body).toMatchObject({
      status: finalOutcome,
      verified_at: expect.any(String),
      partial_notes: notes.notes,
    })
    expect(await readStateVersion()).toBe(2)
  }
})

it('FIX-11 FIX-12 records a pending fix as applied but not verified, and accepts success or failure after it', async () => {
  for (const finalOutcome of ['applied_success', 'applied_failed']) {
    const { reportOutcome } = await createScene()
    const { body } = await reportOutcome('applied_pending', reason)
    expect(body).toMatchObject({
      status: 'applied_pending',
      pending_reason: reason.reason,
      applied_at: expect.any(String),
      verified_at: null,
    })
    expect((await reportOutcome(finalOutcome)).body).toMatchObject({
      status: finalOutcome,
      applied_at: body.applied_at,
      verified_at: expect.any(String),
    })
    expect(pickStatusCodeAndFixStatus(await reportOutcome('applied_pending', reason))).toEqual([
      409,
      'already_decided',
      finalOutcome,
    ])
  }
})

it('FIX-13 FIX-29 replaces the reason of a pending fix, and ignores a repeated one', async () => {
  const { reportOutcome, readStateVersion } = await createScene()
  const first = (await reportOutcome('applied_pending', reason)).body
  const second = (await reportOutcome('applied_pending', { reason: 'Waits for a part' })).body
  expect(second).toEqual({ ...first, pending_reason: 'Waits for a part' })
  expect((await reportOutcome('applied_pending', { reason: 'Waits for a part' })).body).toEqual(second)
  expect(await readStateVersion()).toBe(2)
})

it('FIX-28 accepts a pending outcome after a partial one and the reverse, and keeps applied_at', async () => {
  const { reportOutcome } = await createScene()
  const { applied_at } = (await reportOutcome('applied_partial', notes)).body
  await reportOutcome('applied_pending', reason)
  expect((await reportOutcome('applied_partial', { notes: 'Colours too' })).body).toMatchObject({
    status: 'applied_partial',
    applied_at,
    partial_notes: 'Colours too',
  })
})

it('FIX-14 FIX-27 refuses every outcome after a final outcome', async () => {
  for (const finalOutcome of ['applied_success', 'applied_failed', 'dismissed']) {
    const { reportOutcome, readStateVersion, readFix } = await createScene()
    await reportOutcome(finalOutcome)
    const before = await readFix()
    for (const [next, explanation] of [
      ['applied_success', {}],
      ['applied_failed', {}],
      ['applied_partial', notes],
      ['applied_pending', reason],
      ['dismissed', {}],
    ] as const)
      expect(pickStatusCodeAndFixStatus(await reportOutcome(next, explanation))).toEqual([
        409,
        'already_decided',
        finalOutcome,
      ])
    expect([await readFix(), await readStateVersion()]).toEqual([before, 1])
  }
})

it('FIX-15 dismisses a proposed, partial or pending fix', async () => {
  for (const [previousOutcome, explanation] of [
    [null, {}],
    ['applied_partial', notes],
    ['applied_pending', reason],
  ] as const) {
    const { reportOutcome } = await createScene()
    const applied_at = previousOutcome && (await reportOutcome(previousOutcome, explanation)).body.applied_at
    expect((await reportOutcome('dismissed')).body).toMatchObject({
      status: 'dismissed',
      applied_at,
      verified_at: null,
    })
  }
})
