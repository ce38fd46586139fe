import { expect, it } from 'vitest'
import { newAiSession } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { request, shared } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const status = async (person: Person) => (await person.call('GET', '/users/onboarding-status')).body
const send = (person: Person, step: number, action: 'complete' | 'skip' = 'complete', data?: object) =>
  person.call('PATCH', '/users/me/onboarding-step', { step, action, ...(data ? { data } : {}) })
const kept = async (person: Person) =>
  (await service.sql<{ data: unknown; updated_at: Date }>('select data, updated_at from onboarding where user_id = $1', [person.id]))[0]

const untouched = {
  current_step: 0,
  completed_steps: [],
  skipped_steps: [],
  dismissed: false,
  email_verified: true,
  shop_setup_done: false,
  tried_ai_assistant: false,
  psa_connected: false,
  team_invited: false,
  first_flow_created: false,
}

it('ACC-03 shows somebody new where they are, whatever their colleague has done', async () => {
  const { admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  expectStatus(await send(admin, 4), 200)
  expect(await status(viewer)).toEqual(untouched)
  await service.sql('update users set email_verified_at = null where id = $1', [viewer.id])
  expect(await status(viewer)).toEqual({ ...untouched, email_verified: false })
})

it('ACC-03 sees who has begun an AI session, and it alone', async () => {
  const { admin, colleague } = await newAccount(service)
  await newAiSession(admin)
  expect((await status(admin)).tried_ai_assistant).toBe(true)
  expect((await status(await colleague())).tried_ai_assistant).toBe(false)
})

it('ACC-10 takes steps and jumps forward, and answers the status as it is then', async () => {
  const { admin } = await newAccount(service)
  expect((await send(admin, 1)).body).toEqual({ ...untouched, current_step: 1, completed_steps: [1] })
  const jumped = await send(admin, 4, 'skip')
  expect(jumped.body).toEqual({ ...untouched, current_step: 4, completed_steps: [1], skipped_steps: [4] })
  expect(await status(admin)).toEqual(jumped.body)
})

it('ACC-04 ACC-10 refuses a step below the highest one sent, and changes nothing', async () => {
  const { admin } = await newAccount(service)
  const { body: before } = await send(admin, 3)
  for (const [step, action] of [
    [1, 'complete'],
    [2, 'skip'],
  ] as const) {
    const lower = await send(admin, step, action, { late: true })
    expect([lower.status, lower.body.code]).toEqual([409, 'onboarding_step_passed'])
  }
  expect(await status(admin)).toEqual(before)
  expect(await kept(admin)).toMatchObject({ data: { 3: {} } })
})

it('ACC-05 takes the same step again and changes nothing', async () => {
  const { admin } = await newAccount(service)
  const first = await send(admin, 2, 'complete', { shop_name: 'Northwind' })
  const before = await kept(admin)
  for (const again of [await send(admin, 2, 'complete', { shop_name: 'Else' }), await send(admin, 2, 'skip')]) {
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await kept(admin)).toEqual(before)
  }
})

it('ACC-06 ignores the data of a step that is skipped, which can be completed after all', async () => {
  const { admin } = await newAccount(service)
  const skipped = await send(admin, 2, 'skip', { shop_name: 'Northwind' })
  expect(skipped.body).toMatchObject({ skipped_steps: [2], completed_steps: [], shop_setup_done: false })
  expect((await kept(admin))?.data).toEqual({})
  const completed = await send(admin, 2, 'complete', { shop_name: 'Northwind' })
  expect(completed.body).toMatchObject({ skipped_steps: [], completed_steps: [2], shop_setup_done: true })
  expect((await kept(admin))?.data).toEqual({ 2: { shop_name: 'Northwind' } })
})

it('ACC-07 dismisses the rest, as often as one likes, and keeps the steps taken', async () => {
  const { admin } = await newAccount(service)
  const fresh = await admin.call('POST', '/users/me/onboarding-dismiss-rest')
  expect([fresh.status, fresh.body]).toEqual([200, { ...untouched, dismissed: true }])
  const { body } = await send(admin, 1)
  expect(body).toEqual({ ...untouched, dismissed: true, current_step: 1, completed_steps: [1] })
  expect((await admin.call('POST', '/users/me/onboarding-dismiss-rest')).body).toEqual(body)
  expect(await status(admin)).toEqual(body)
})

it('ACC-03 sees for itself that somebody was invited', async () => {
  const { admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  await admin.call('POST', '/accounts/me/invites', { email: `p-${crypto.randomUUID()}@people.example`, role: 'viewer' })
  expect((await status(viewer)).team_invited).toBe(true)
  expect((await status((await newAccount(service)).admin)).team_invited).toBe(false)
})

it('ACC-03 sees for itself that a flow was made', async () => {
  const { admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  const start = { id: 'start', type: 'decision', title: 'Is it plugged in?' }
  const made = await admin.call('POST', '/trees', { name: 'First', tree_type: 'troubleshooting', status: 'draft', tree_structure: start })
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  expect((await status(viewer)).first_flow_created).toBe(true)
  expect((await send(viewer, 1)).body.first_flow_created).toBe(true)
  expect((await status((await newAccount(service)).admin)).first_flow_created).toBe(false)
})

it('refuses steps that do not exist and data that is no object or too large', async () => {
  const { admin } = await newAccount(service)
  const right = { step: 1, action: 'complete' }
  for (const wrong of [
    { step: 0 },
    { step: 7 },
    { step: 1.5 },
    { step: '1' },
    { action: 'finish' },
    { data: [] },
    { data: null },
    { more: 1 },
  ]) {
    expect((await admin.call('PATCH', '/users/me/onboarding-step', { ...right, ...wrong })).status, JSON.stringify(wrong)).toBe(422)
  }
  // Bytes, not characters.
  expectStatus(await send(admin, 1, 'complete', { text: 'é'.repeat(8190) }), 422)
  expectStatus(await send(admin, 1, 'complete', { text: 'é'.repeat(8180) }), 200)
})

it('ACC-04 lets the step only grow when many are sent at once', async () => {
  for (let round = 0; round < 5; round++) {
    const { admin } = await newAccount(service)
    const steps = Array.from({ length: 24 }, (_, n) => ((n * 7) % 6) + 1)
    const answers = await Promise.all(steps.map((step) => send(admin, step, step % 2 ? 'complete' : 'skip')))
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const taken = new Set(steps.filter((_, n) => answers[n]?.status === 200))
    const { current_step, completed_steps, skipped_steps } = await status(admin)
    expect(current_step).toBe(6)
    expect([...completed_steps, ...skipped_steps].sort()).toEqual([...taken].sort())
    expect(completed_steps).toEqual([...completed_steps].sort())
  }
})

it('AUT-13 stays open past an address that is not verified and a lapsed subscription', async () => {
  const { id, admin } = await newAccount(service)
  await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [id])
  await service.sql(`update users set email_verified_at = null, created_at = now() - interval '73 hours' where id = $1`, [admin.id])
  expect((await request(service, 'GET', '/auth/me', { token: admin.token })).body.guards).toEqual([
    'email_not_verified',
    'subscription_lapsed',
  ])
  expectStatus(await admin.call('GET', '/notifications'), 403)
  expectStatus(await admin.call('GET', '/users/onboarding-status'), 200)
  expectStatus(await send(admin, 1), 200)
  expectStatus(await admin.call('POST', '/users/me/onboarding-dismiss-rest'), 200)
})
