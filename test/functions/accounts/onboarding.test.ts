import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { request, sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const getStatus = async (person: Person) => person.client.accounts.onboarding.getStatus()
const sendStep = (person: Person, step: number, action: 'complete' | 'skip' = 'complete', data?: object) =>
  person.call('PATCH', '/users/me/onboarding-step', { step, action, ...(data ? { data } : {}) })
const selectStoredSteps = async (person: Person) =>
  (
    await service.sql<{ data: unknown; updated_at: Date }>(
      'select data, updated_at from onboarding where user_id = $1',
      [person.id],
    )
  )[0]

const initialStatus = {
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

it('ACC-03 returns the initial status for a new user, whatever a colleague has done', async () => {
  const { admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  expectStatus(await sendStep(admin, 4), 200)
  expect(await getStatus(viewer)).toEqual(initialStatus)
  await service.sql('update users set email_verified_at = null where id = $1', [viewer.id])
  expect(await getStatus(viewer)).toEqual({ ...initialStatus, email_verified: false })
})

it('ACC-03 sets tried_ai_assistant only for the user who started an AI session', async () => {
  const { admin, addColleague } = await createAccount(service)
  await createAiSession(admin)
  expect((await getStatus(admin)).tried_ai_assistant).toBe(true)
  expect((await getStatus(await addColleague())).tried_ai_assistant).toBe(false)
})

it('ACC-10 stores a step, accepts a step further ahead, and returns the new status', async () => {
  const { admin } = await createAccount(service)
  expect((await sendStep(admin, 1)).body).toEqual({ ...initialStatus, current_step: 1, completed_steps: [1] })
  const jumped = await sendStep(admin, 4, 'skip')
  expect(jumped.body).toEqual({ ...initialStatus, current_step: 4, completed_steps: [1], skipped_steps: [4] })
  expect(await getStatus(admin)).toEqual(jumped.body)
})

it('ACC-04 ACC-10 refuses a step below the highest accepted step, and changes nothing', async () => {
  const { admin } = await createAccount(service)
  const { body: statusBefore } = await sendStep(admin, 3)
  for (const [step, action] of [
    [1, 'complete'],
    [2, 'skip'],
  ] as const) {
    const lower = await sendStep(admin, step, action, { late: true })
    expect([lower.status, lower.body.code]).toEqual([409, 'onboarding_step_passed'])
  }
  expect(await getStatus(admin)).toEqual(statusBefore)
  expect(await selectStoredSteps(admin)).toMatchObject({ data: { 3: {} } })
})

it('ACC-05 returns 200 for a repeated step and changes nothing', async () => {
  const { admin } = await createAccount(service)
  const first = await sendStep(admin, 2, 'complete', { shop_name: 'Northwind' })
  const rowBefore = await selectStoredSteps(admin)
  for (const repeated of [
    await sendStep(admin, 2, 'complete', { shop_name: 'Other' }),
    await sendStep(admin, 2, 'skip'),
  ]) {
    expect([repeated.status, repeated.body]).toEqual([200, first.body])
    expect(await selectStoredSteps(admin)).toEqual(rowBefore)
  }
})

it.each([{ a: 1 }, [], 'text', null, 7, { text: 'x'.repeat(20_000) }])(
  'ACC-06 ignores data of any kind of a skipped step: %j',
  async (data) => {
    const { admin } = await createAccount(service)
    expectStatus(
      await admin.call('PATCH', '/users/me/onboarding-step', { step: 2, action: 'skip', data }),
      200,
    )
    expect((await selectStoredSteps(admin))?.data).toEqual({})
  },
)

it('ACC-06 ignores the data of a skipped step, and lets the user complete the step later', async () => {
  const { admin } = await createAccount(service)
  const skipped = await sendStep(admin, 2, 'skip', { shop_name: 'Northwind' })
  expect(skipped.body).toMatchObject({ skipped_steps: [2], completed_steps: [], shop_setup_done: false })
  expect((await selectStoredSteps(admin))?.data).toEqual({})
  const completed = await sendStep(admin, 2, 'complete', { shop_name: 'Northwind' })
  expect(completed.body).toMatchObject({ skipped_steps: [], completed_steps: [2], shop_setup_done: true })
  expect((await selectStoredSteps(admin))?.data).toEqual({ 2: { shop_name: 'Northwind' } })
})

it('ACC-07 dismisses the remaining steps, keeps the completed steps, and is idempotent', async () => {
  const { admin } = await createAccount(service)
  const dismissed = await admin.call('POST', '/users/me/onboarding-dismiss-rest')
  expect([dismissed.status, dismissed.body]).toEqual([200, { ...initialStatus, dismissed: true }])
  const { body } = await sendStep(admin, 1)
  expect(body).toEqual({ ...initialStatus, dismissed: true, current_step: 1, completed_steps: [1] })
  expect(await admin.client.accounts.onboarding.dismissRest()).toEqual(body)
  expect(await getStatus(admin)).toEqual(body)
})

it('ACC-03 sets team_invited once the account has sent an invite', async () => {
  const { admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  await admin.client.accounts.invites.create({
    email: `p-${crypto.randomUUID()}@people.example`,
    role: 'viewer',
  })
  expect((await getStatus(viewer)).team_invited).toBe(true)
  expect((await getStatus((await createAccount(service)).admin)).team_invited).toBe(false)
})

it('ACC-03 sets first_flow_created once the account has created a flow', async () => {
  const { admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  const start = { id: 'start', type: 'decision', title: 'Is it plugged in?' }
  const flow = { name: 'First', tree_type: 'troubleshooting', status: 'draft', tree_structure: start }
  expectStatus(await admin.call('POST', '/trees', flow), 201)
  expect((await getStatus(viewer)).first_flow_created).toBe(true)
  expect((await sendStep(viewer, 1)).body.first_flow_created).toBe(true)
  expect((await getStatus((await createAccount(service)).admin)).first_flow_created).toBe(false)
})

it('refuses an unknown step, action or field, and data that is not an object or is too large', async () => {
  const { admin } = await createAccount(service)
  const valid = { step: 1, action: 'complete' }
  for (const invalid of [
    { step: 0 },
    { step: 7 },
    { step: 1.5 },
    { step: '1' },
    { action: 'finish' },
    { data: [] },
    { more: 1 },
  ]) {
    expect(
      (await admin.call('PATCH', '/users/me/onboarding-step', { ...valid, ...invalid })).status,
      JSON.stringify(invalid),
    ).toBe(422)
  }
  // The limit counts bytes, not characters: é has two bytes.
  expectStatus(await sendStep(admin, 1, 'complete', { text: 'é'.repeat(8190) }), 422)
  expectStatus(await sendStep(admin, 1, 'complete', { text: 'é'.repeat(8180) }), 200)
})

it('ACC-04 never lowers the current step when 24 steps are sent concurrently', async () => {
  for (let round = 0; round < 5; round++) {
    const { admin } = await createAccount(service)
    const steps = Array.from({ length: 24 }, (_, n) => ((n * 7) % 6) + 1)
    const responses = await Promise.all(
      steps.map((step) => sendStep(admin, step, step % 2 ? 'complete' : 'skip')),
    )
    expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const acceptedSteps = new Set(steps.filter((_, n) => responses[n]?.status === 200))
    const { current_step, completed_steps, skipped_steps } = await getStatus(admin)
    expect(current_step).toBe(6)
    expect([...completed_steps, ...skipped_steps].sort()).toEqual([...acceptedSteps].sort())
    expect(completed_steps).toEqual([...completed_steps].sort())
  }
})

it('AUT-13 allows onboarding requests with an unverified e-mail address and a lapsed subscription', async () => {
  const { id, admin } = await createAccount(service)
  await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [id])
  await service.sql(
    `update users set email_verified_at = null, created_at = now() - interval '73 hours' where id = $1`,
    [admin.id],
  )
  expect((await request(service, 'GET', '/auth/me', { token: admin.token })).body.guards).toEqual([
    'email_not_verified',
    'subscription_lapsed',
  ])
  await expectRefusal(admin.client.notifications.list(), 403)
  await admin.client.accounts.onboarding.getStatus()
  expectStatus(await sendStep(admin, 1), 200)
  await admin.client.accounts.onboarding.dismissRest()
})
