import { describe, expect, it } from 'vitest'
import { getNoticeTime } from '#rules/oncall/substitutes.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)
const sweep = () => postSignedJob(service, '/jobs/notifications/sweep')
const start = Date.UTC(2090, 0, 12, 21)
const span = {
  starts_at: new Date(start).toISOString(),
  ends_at: new Date(start + 9 * 3_600_000).toISOString(),
}

const listNotices = async (person: Person) =>
  (await person.client.notifications.list())
    .filter(({ event_key }) => /^oncall\.(substitute|overridden)/.test(event_key))
    .map(({ title }) => title)
const listMails = async (person: Person, words: string) =>
  (await listRecords('mail')).filter(
    ({ to, subject, text }) => to.includes(person.email) && `${subject} ${text}`.includes(words),
  )

/** Create a schedule by which `regular` is always on call, with two colleagues in Kathmandu and Berlin. */
async function createScene() {
  const account = await createAccount(service)
  const [regular, near, far] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
  for (const [person, zone] of [
    [near, 'Europe/Berlin'],
    [far, 'Asia/Kathmandu'],
  ] as const)
    await service.sql('update users set timezone = $2 where id = $1', [person.id, zone])
  const rotation = { kind: 'daily', members: [regular.id], handoff_time: '00:00', starts_on: '2020-01-01' }
  const { body: schedule } = expectStatus(
    await account.admin.call('POST', '/on-call-schedules', {
      name: 'Night',
      timezone: 'Europe/Berlin',
      team_id: account.teamId,
      rotations: [rotation],
    }),
    201,
  )
  const path = `/on-call-schedules/${schedule.id}/substitute-requests`
  const ask = (person: Person, body: object = {}) => person.call('POST', path, { ...span, ...body })
  const answer = (person: Person, id: string, verb: string) => person.call('POST', `${path}/${id}/${verb}`)
  const readShift = async () => {
    const { body } = await account.admin.call(
      'GET',
      `/on-call-schedules/${schedule.id}/shifts?from=${span.starts_at}&to=${span.ends_at}`,
    )
    return body.map(({ user }: { user: { id: string } }) => user.id)
  }
  return { account, regular, near, far, schedule, path, ask, answer, readShift }
}
type Scene = Awaited<ReturnType<typeof createScene>>

const askFor = async ({ ask, regular }: Scene, body: object = {}) =>
  expectStatus(await ask(regular, body), 201).body

it('ONC-40 asks who else is in the schedule or its team, in the app and by e-mail, in the local times of each', async () => {
  const scene = await createScene()
  const { account, regular, near, far, path } = scene
  const outsider = await account.addColleague({ teamId: null })
  await account.addColleague({ role: 'viewer' })
  const request = await askFor(scene, { note: 'A school play.' })
  expect(request.asked.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    [account.admin, near, far].map(({ id }) => id).toSorted(),
  )
  expect(request).toMatchObject({ ...span, state: 'open', may_accept: false, accepted_by: null })
  for (const person of [near, far]) {
    const [notice] = await person.client.notifications.list()
    expect(notice).toMatchObject({
      title: `${regular.fullName} asks for a substitute: Night`,
      body: [
        'From 12 Jan 2090, 22:00 until 13 Jan 2090, 07:00 (Europe/Berlin).',
        'From 13 Jan 2090, 02:45 until 11:45 (Asia/Kathmandu).',
        'From 12 Jan 2090, 21:00 until 13 Jan 2090, 06:00 (UTC).\n\nA school play.',
      ].join(' '),
      link: `/on-call/${scene.schedule.id}?substitute=${request.id}`,
    })
    await expect.poll(() => listMails(person, 'asks for a substitute')).toHaveLength(1)
  }
  expect(await listNotices(outsider)).toEqual([])
  const listed = await near.call('GET', path)
  expect(listed.body).toMatchObject([{ id: request.id, may_accept: true }])
})

it('ONC-41 the first of 32 who accept is on call by an override; whose shift it is and the others are told once', async () => {
  const scene = await createScene()
  const { account, regular, near, far, answer, readShift } = scene
  const { id } = await askFor(scene)
  const people = [near, far, account.admin]
  const answers = await runConcurrently((n) => answer(people[n % 3] as Person, id, 'accept'))
  const { accepted_by, override_id } = expectStatus(
    await answer(people.find((_, n) => answers[n]?.status === 200) ?? near, id, 'accept'),
    200,
  ).body
  const winner = people.find((person) => person.id === accepted_by.id) as Person
  // The winner may ask again, and is answered as before.
  const winnerPlace = people.indexOf(winner)
  expect(countByStatus(answers.filter((_, n) => n % 3 === winnerPlace))).toEqual({
    200: answers.filter((_, n) => n % 3 === winnerPlace).length,
  })
  expect(countByStatus(answers.filter((_, n) => n % 3 !== winnerPlace))).toEqual({
    409: answers.filter((_, n) => n % 3 !== winnerPlace).length,
  })
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'already_decided',
    accepted_by,
  })
  expect(await readShift()).toEqual([winner.id])
  expect(
    await service.sql('select id, user_id from on_call_overrides where schedule_id = $1', [
      scene.schedule.id,
    ]),
  ).toEqual([{ id: override_id, user_id: winner.id }])
  expect(await listNotices(regular)).toEqual([`${winner.fullName} takes over on-call: Night`])
  await expect.poll(() => listMails(regular, 'takes over on-call')).toHaveLength(1)
  const taken = `${winner.fullName} takes the shift of ${regular.fullName}: Night`
  for (const person of people)
    expect(await listNotices(person)).toEqual([
      ...(person === winner ? [] : [taken]),
      `${regular.fullName} asks for a substitute: Night`,
    ])
})

it('ONC-42 who declines is not told of more; when everybody has declined, whose shift it is is told once', async () => {
  const scene = await createScene()
  const { regular, near, far, answer } = scene
  const { id } = await askFor(scene, { asked_user_ids: [near.id, far.id] })
  expectStatus(await answer(near, id, 'decline'), 200)
  expect((await answer(near, id, 'decline')).body.asked).toMatchObject(
    expect.arrayContaining([{ id: near.id, name: near.fullName, has_declined: true }]),
  )
  expect(await listNotices(regular)).toEqual([])
  const answers = await runConcurrently(() => answer(far, id, 'decline'))
  expect(countByStatus(answers)).toEqual({ 200: 32 })
  expect(answers[0]?.body).toMatchObject({ state: 'declined', may_accept: false })
  expect(await listNotices(regular)).toEqual([`Everybody declined the shift of ${regular.fullName}: Night`])
  await expect.poll(() => listMails(regular, 'Everybody declined')).toHaveLength(1)
  expect((await answer(near, id, 'accept')).status).toBe(409)
})

it('ONC-42 a colleague who has declined may still accept while it is open, and a viewer counts as declined', async () => {
  const scene = await createScene()
  const { account, near, far, answer, readShift } = scene
  const first = await askFor(scene, { asked_user_ids: [near.id, far.id] })
  expectStatus(await answer(near, first.id, 'decline'), 200)
  expectStatus(await answer(near, first.id, 'accept'), 200)
  expect(await readShift()).toEqual([near.id])
  const later = { starts_at: '2090-02-01T20:00:00Z', ends_at: '2090-02-02T06:00:00+00:00' }
  const second = await askFor(scene, { ...later, asked_user_ids: [near.id, far.id] })
  expectStatus(await account.admin.call('PATCH', `/accounts/me/members/${far.id}`, { role: 'viewer' }), 200)
  expect((await answer(near, second.id, 'decline')).body.state).toBe('declined')
})

describe('ONC-43 a request that nobody accepts', () => {
  it('tells whose shift it is once, at its time, however many sweeps run, and expires at its start', async () => {
    const scene = await createScene()
    const { regular, near, answer, path } = scene
    const { id } = await askFor(scene)
    await sweep()
    expect(await listNotices(regular)).toEqual([])
    await service.sql('update on_call_substitute_requests set notice_at = app.now() where id = $1', [id])
    await runConcurrently(sweep, 32)
    await sweep()
    const title = `Nobody has taken the shift of ${regular.fullName}: Night`
    expect(await listNotices(regular)).toEqual([title])
    await expect.poll(() => listMails(regular, 'Nobody has taken')).toHaveLength(1)
    expect((await near.call('GET', path)).body[0].state).toBe('open')
    await service.sql(
      `update on_call_substitute_requests set starts_at = app.now() - interval '1 second', notice_at = app.now() - interval '1 second' where id = $1`,
      [id],
    )
    expect((await near.call('GET', path)).body[0]).toMatchObject({ state: 'expired', may_accept: false })
    expect((await answer(near, id, 'accept')).status).toBe(409)
    await sweep()
    expect(await listNotices(regular)).toEqual([title])
    expect(await service.sql('select state from on_call_substitute_requests where id = $1', [id])).toEqual([
      { state: 'expired' },
    ])
  })

  it('tells nobody if somebody has taken over otherwise', async () => {
    const scene = await createScene()
    const { regular, near, schedule } = scene
    const { id } = await askFor(scene)
    expectStatus(
      await near.call('POST', `/on-call-schedules/${schedule.id}/overrides`, { member_id: near.id, ...span }),
      201,
    )
    await service.sql('update on_call_substitute_requests set notice_at = app.now() where id = $1', [id])
    await sweep()
    expect(await listNotices(regular)).toEqual([`${near.fullName} takes over on-call: Night`])
  })

  it('is noticed a day before the shift, or after half of the time until it', () => {
    const hours = (n: number) => n * 3_600_000
    expect(getNoticeTime(0, hours(240))).toBe(hours(216))
    expect(getNoticeTime(0, hours(48))).toBe(hours(24))
    expect(getNoticeTime(0, hours(4))).toBe(hours(2))
  })
})

it('ONC-43 a request is withdrawn by whose shift it is, and who was asked and has not declined is told', async () => {
  const scene = await createScene()
  const { regular, near, far, account, answer, path } = scene
  const { id } = await askFor(scene, { asked_user_ids: [near.id, far.id] })
  await answer(far, id, 'decline')
  expect((await near.call('DELETE', `${path}/${id}`)).status).toBe(403)
  for (const person of [regular, regular, account.admin])
    expectStatus(await person.call('DELETE', `${path}/${id}`), 204)
  const title = `${regular.fullName} no longer asks for a substitute: Night`
  expect((await listNotices(near))[0]).toBe(title)
  expect((await listNotices(near)).filter((text) => text === title)).toHaveLength(1)
  expect(await listNotices(far)).not.toContain(title)
  expect((await answer(near, id, 'accept')).status).toBe(409)
  // The time is free again.
  await askFor(scene)
})

// What may change between the request and its acceptance, and what the acceptance says.
const changes: Record<string, [status: number, change: (scene: Scene) => Promise<unknown>]> = {
  'who accepts has become a viewer': [
    403,
    ({ account, near }) => account.admin.call('PATCH', `/accounts/me/members/${near.id}`, { role: 'viewer' }),
  ],
  'who accepts was deactivated': [
    401,
    ({ account, near }) => account.admin.call('DELETE', `/accounts/me/members/${near.id}`),
  ],
  'whose shift it is has left': [
    409,
    ({ account, regular }) => account.admin.call('DELETE', `/accounts/me/members/${regular.id}`),
  ],
  'somebody else has a part of the shift': [
    409,
    ({ account, far, schedule }) =>
      account.admin.call('POST', `/on-call-schedules/${schedule.id}/overrides`, {
        member_id: far.id,
        starts_at: span.starts_at,
        ends_at: new Date(start + 3_600_000).toISOString(),
      }),
  ],
  'the rotation has another member': [
    409,
    ({ account, far, schedule }) =>
      account.admin.call('PUT', `/on-call-schedules/${schedule.id}`, {
        rotations: [{ kind: 'daily', members: [far.id], handoff_time: '00:00', starts_on: '2020-01-01' }],
      }),
  ],
  'the schedule was deleted': [
    404,
    ({ account, schedule }) => account.admin.call('DELETE', `/on-call-schedules/${schedule.id}`),
  ],
}
it.each(Object.keys(changes))('ONC-44 an acceptance asks again: %s', async (way) => {
  const scene = await createScene()
  const { near, answer, schedule } = scene
  const { id } = await askFor(scene)
  const [status, change] = changes[way] as (typeof changes)[string]
  await change(scene)
  const refusal = await answer(near, id, 'accept')
  expect(refusal.status, refusal.text).toBe(status)
  expect(
    await service.sql('select id from on_call_overrides where schedule_id = $1 and user_id = $2', [
      schedule.id,
      near.id,
    ]),
  ).toEqual([])
})

it('ONC-45 refuses a request for a time of somebody else, in the past, too long, twice, or that asks nobody who can', async () => {
  const scene = await createScene()
  const { account, regular, near, far, ask, answer, path } = scene
  const viewer = await account.addColleague({ role: 'viewer' })
  const stranger = (await createAccount(service)).admin
  const statuses = async (person: Person, body: object) => (await ask(person, body)).status
  expect(await statuses(viewer, {})).toBe(403)
  expect(await statuses(near, {})).toBe(422)
  expect(await statuses(near, { member_id: regular.id })).toBe(403)
  expect(await statuses(account.admin, { member_id: near.id })).toBe(422)
  expect(await statuses(stranger, {})).toBe(404)
  for (const body of [
    { starts_at: '2026-01-01T00:00:00Z', ends_at: '2026-01-01T08:00:00Z' },
    { ends_at: span.starts_at },
    { ends_at: new Date(start + 32 * 86_400_000).toISOString() },
    { note: 'x'.repeat(501) },
    { asked_user_ids: [] },
    { asked_user_ids: [viewer.id] },
    { asked_user_ids: [regular.id] },
    { asked_user_ids: [stranger.id] },
    { asked_user_ids: [near.id, near.id] },
  ])
    expect(await statuses(regular, body), JSON.stringify(body)).toBe(422)
  // An admin asks for whoever is ill, and both are told.
  const { id } = expectStatus(
    await ask(account.admin, { member_id: regular.id, asked_user_ids: [near.id] }),
    201,
  ).body
  expect((await ask(regular)).body).toMatchObject({ code: 'already_pending' })
  expect((await answer(far, id, 'accept')).status).toBe(403)
  expect((await answer(far, id, 'decline')).status).toBe(403)
  expect((await stranger.call('GET', path)).status).toBe(404)
  expect((await answer(stranger, id, 'accept')).status).toBe(404)
  await answer(near, id, 'decline')
  for (const person of [regular, account.admin])
    expect(await listNotices(person)).toContain(`Everybody declined the shift of ${regular.fullName}: Night`)
})

it('ONC-45 one of 32 requests for the same time is stored, and an engineer alone in the schedule names who is asked', async () => {
  const scene = await createScene()
  const answers = await runConcurrently(() => scene.ask(scene.regular))
  expect(countByStatus(answers)).toEqual({ 201: 1, 409: 31 })
  await service.sql('update on_call_schedules set team_id = null where id = $1', [scene.schedule.id])
  const later = { starts_at: '2090-02-01T20:00:00Z', ends_at: '2090-02-02T06:00:00Z' }
  expect((await scene.ask(scene.regular, later)).status).toBe(422)
  expect((await scene.ask(scene.regular, { ...later, asked_user_ids: [scene.near.id] })).status).toBe(201)
})

it('ONC-40 a message that is sent late is left out once the request has ended', async () => {
  const scene = await createScene()
  const { id } = await askFor(scene)
  const happened = () =>
    service.sql<{ happened: string[] }>(
      `select app.what_happened(e, null) as happened from events e where e.key = 'oncall.substitute_requested' and e.account_id = $1`,
      [scene.account.id],
    )
  expect(await happened()).toEqual([{ happened: [] }])
  expectStatus(await scene.answer(scene.near, id, 'accept'), 200)
  expect(await happened()).toEqual([{ happened: ['decided'] }])
})
