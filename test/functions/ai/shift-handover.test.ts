import { expect, it } from 'vitest'
import type { ShiftHandover } from '#functions/ai/handover/schemas.ts'
import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { openStates } from '#rules/ai/session-values.ts'
import { writeHandover } from '#rules/oncall/handover.ts'
import { createAiSession, insertAiSession, insertFix } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { claimHandoff, escalateSession, insertEscalation } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await sharedService()

const readHandover = async (person: Person, query = ''): Promise<ShiftHandover> =>
  expectStatus(await person.call('GET', `/ai-sessions/handover${query}`), 200).body
const listTexts = ({ summary }: ShiftHandover) => summary.map(({ text }) => text)
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

it('HND-28 tells open cases with what changed since, those that wait for a colleague first, and links each', async () => {
  const account = await createAccount(service)
  const [engineer, reader] = [await account.addColleague(), await account.addColleague()]
  const own = await createAiSession(reader, { problem_summary: 'Mail is slow', client_name: 'Contoso' })
  const waiting = await createAiSession(engineer, { problem_summary: 'VPN drops', psa_ticket_id: '4711' })
  const { handoffId } = await escalateSession(engineer, waiting.id, {
    urgency: 'critical',
    next_steps: 'Check the MTU.',
  })
  await service.sql(`update ai_sessions set created_at = app.now() - interval '2 days' where id = $1`, [
    waiting.id,
  ])
  const [row] = await service.sql<{ title: string }>('select title from ai_sessions where id = $1', [
    waiting.id,
  ])
  const handover = await readHandover(reader)
  expect(handover.cases.map(({ session_id, status }) => [session_id, status])).toEqual([
    [waiting.id, 'escalated'],
    [own.id, 'active'],
  ])
  const [overview, first, second] = handover.summary
  expect(overview?.text).toMatch(
    /: 2 open cases of yours or in the queue, 1 waits for a colleague, 0 resolved, 0 with a time to continue\.$/,
  )
  expect(first?.text).toBe(
    `Critical: ${row?.title} (ticket 4711): escalated by ${engineer.fullName}, nobody has claimed it. Since then: escalated. Next: Check the MTU.`,
  )
  expect(first?.url).toMatch(new RegExp(`^http.*/pilot/${waiting.id}$`))
  expect(second?.text).toContain(`(Contoso): ${reader.fullName} works on it. Since then: new.`)
  await claimHandoff(reader, waiting.id, handoffId)
  expect(listTexts(await readHandover(reader))[1]).toContain(
    `claimed by ${reader.fullName}, escalated by ${engineer.fullName}.`,
  )
})

it('HND-29 shows what the queue shows: own sessions, escalations of the own team, and those of all teams to admins', async () => {
  const account = await createAccount(service)
  const [engineer, reader] = [await account.addColleague(), await account.addColleague()]
  const otherTeam = await account.admin.client.accounts.teams.create({ name: 'Night shift' })
  const [ofOtherTeam, ofTeam] = [
    await insertEscalation(service, engineer),
    await insertEscalation(service, engineer),
  ]
  await service.sql('update ai_sessions set team_id = $2 where id = $1', [
    ofOtherTeam.session_id,
    otherTeam.id,
  ])
  const inWork = await insertAiSession(service, engineer)
  const listIds = async (person: Person, query = '') =>
    (await readHandover(person, query)).cases.map(({ session_id }) => session_id).toSorted()
  expect(await listIds(reader)).toEqual([ofTeam.session_id])
  expect(await listIds(reader, `?team_id=${otherTeam.id}`)).toEqual([])
  expect(await listIds(account.admin)).toEqual([ofOtherTeam.session_id, ofTeam.session_id, inWork].toSorted())
  expect(await listIds(account.admin, `?team_id=${otherTeam.id}`)).toEqual([ofOtherTeam.session_id])
  expect(await listIds((await createAccount(service)).admin)).toEqual([])
  expectStatus(
    await (await account.addColleague({ role: 'viewer' })).call('GET', '/ai-sessions/handover'),
    403,
  )
  expectStatus(await reader.call('GET', `/ai-sessions/handover?team_id=${crypto.randomUUID()}`), 404)
})

it.each(openStates)(
  'HND-38 shows a lead a case that is %s with who has it, and says whose cases it counts',
  async (status) => {
    const account = await createAccount(service)
    const [engineer, night, colleague, lead] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague({ teamRole: 'admin' }),
    ]
    const otherTeam = await account.admin.client.accounts.teams.create({ name: 'Projects' })
    const otherLead = await account.addColleague({ teamId: otherTeam.id, teamRole: 'admin' })
    const id = await insertAiSession(service, engineer)
    await service.sql('update ai_sessions set status = $2, picked_up_by_id = $3 where id = $1', [
      id,
      status,
      night.id,
    ])
    const readFor = async (person: Person, query = '') => {
      const { scope, cases, summary } = await readHandover(person, query)
      const [overview = ''] = summary.map(({ text }) => text)
      return [
        scope,
        cases.map(({ session_id, engineer_name }) => [session_id, engineer_name]),
        overview.split(': ')[1]?.split(',')[0],
      ]
    }
    const shown = [[id, night.fullName]]
    const ofTeam = ['team', shown, '1 open case of the team']
    expect(await readFor(account.admin)).toEqual(['account', shown, '1 open case in the account'])
    expect(await readFor(account.admin, `?team_id=${account.teamId}`)).toEqual(ofTeam)
    expect(await readFor(account.admin, `?team_id=${otherTeam.id}`)).toEqual([
      'team',
      [],
      'No open case of the team',
    ])
    for (const query of ['', `?team_id=${account.teamId}`]) expect(await readFor(lead, query)).toEqual(ofTeam)
    expect(await readFor(otherLead)).toEqual(['team', [], 'No open case of the team'])
    const isInQueue = !['active', 'parked'].includes(status)
    expect(await readFor(colleague)).toEqual(
      isInQueue
        ? ['own', shown, '1 open case of yours or in the queue']
        : ['own', [], 'No open case of yours or in the queue'],
    )
  },
)

it('HND-29 does not show the next steps of a case that a colleague has claimed', async () => {
  const account = await createAccount(service)
  const [engineer, claimant, reader] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague(),
  ]
  const session = await createAiSession(engineer)
  const { handoffId } = await escalateSession(engineer, session.id, { next_steps: 'Check the MTU.' })
  expect((await readHandover(reader)).cases[0]?.next_steps).toBe('Check the MTU.')
  await claimHandoff(claimant, session.id, handoffId)
  expect((await readHandover(reader)).cases[0]).toMatchObject({ status: 'claimed', next_steps: null })
  expect((await readHandover(claimant)).cases[0]?.next_steps).toBe('Check the MTU.')
})

it('HND-30 tells what clients were told since, which fixes wait for a result, and until when timers run', async () => {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  await connectPsa(service, account.admin)
  const ticketId = buildPsaData().tickets[0]?.id
  for (const note of [
    { text: 'We replace it tonight.', visibility: 'client' },
    { text: 'They have not paid.', visibility: 'internal' },
  ])
    await engineer.call('POST', `/integrations/psa/tickets/${ticketId}/notes`, note)
  const countPushed = async () =>
    (await account.admin.call('GET', '/integrations/psa/pushes?state=pushed')).body.length
  await expect.poll(countPushed, { timeout: 30_000 }).toBe(2)
  await service.sql(
    `insert into psa_pushes (account_id, ticket_id, body, internal, source_kind, source_id, requested_by, state, next_attempt_at)
     values ($1, '1', 'It still waits.', false, 'user', $2, $2, 'retrying', app.now() + interval '1 hour')`,
    [account.id, engineer.id],
  )
  const session = await createAiSession(engineer)
  await insertFix(service, session, {
    status: 'applied_pending',
    pending_reason: 'Driver arrives tomorrow',
    applied_at: new Date(),
  })
  const run = await createSession(engineer, { ticket_number: '4712' })
  const due = inHours(2)
  await service.sql(
    `insert into session_timers (account_id, session_id, step_id, seq, due_at) select account_id, id, current_step_id, answered, $2 from sessions where id = $1`,
    [run.id, due],
  )
  const handover = await readHandover(engineer)
  expect(
    handover.promises.map(({ kind, text, due_at, session_id }) => [kind, text, due_at, session_id]),
  ).toEqual([
    ['client_note', 'We replace it tonight.', null, null],
    ['pending_fix', 'Restart the spooler: Driver arrives tomorrow', null, session.id],
    ['timer', expect.stringContaining(run.tree_name ?? run.name ?? ''), due, run.id],
  ])
  const texts = listTexts(handover)
  expect(texts[0]).toContain('1 with a time to continue')
  expect(texts.join('\n')).toMatch(
    /Told the client at .* \(ticket \d+\): We replace it tonight\.\nWaits for a result: Restart/,
  )
  expect(texts.find((text) => text.startsWith('Due at '))).toContain('(ticket 4712)')
})

it('HND-31 names who is on call now, until when, and who is next', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const next = await account.addColleague()
  const rotation = {
    kind: 'daily' as const,
    members: [admin.id],
    handoff_time: '00:00',
    starts_on: '2020-01-01',
  }
  const { id: schedule_id } = await admin.client.oncall.schedules.create({
    name: 'Network',
    timezone: 'UTC',
    rotations: [rotation],
  })
  const [starts_at, ends_at] = [inHours(5), inHours(6)]
  await admin.client.oncall.schedules.createOverride({ schedule_id, member_id: next.id, starts_at, ends_at })
  const handover = await readHandover(admin)
  expect(handover.on_call).toEqual([
    {
      schedule_id,
      schedule_name: 'Network',
      user: { id: admin.id, name: admin.fullName },
      until: starts_at,
      next_user: { id: next.id, name: next.fullName },
      next_from: starts_at,
    },
  ])
  expect(handover.summary.at(-1)?.text).toMatch(
    new RegExp(`^On call by Network: ${admin.fullName} until .*, then ${next.fullName} from `),
  )
})

it('HND-32 reaches back at most 7 days, and by default 12 hours', async () => {
  const { admin } = await createAccount(service)
  const { since, until } = await readHandover(admin)
  expect(Date.parse(until) - Date.parse(since)).toBe(12 * 3_600_000)
  for (const time of [inHours(1), inHours(-169), 'yesterday'])
    expectStatus(await admin.call('GET', `/ai-sessions/handover?since=${encodeURIComponent(time)}`), 422)
  expect((await readHandover(admin, `?since=${inHours(-167)}`)).resolved_count).toBe(0)
})

it('HND-28 says so when nothing is open', () => {
  const facts = {
    since: '2026-11-21T00:00:00.000Z',
    until: '2026-11-21T12:00:00.000Z',
    timezone: 'Europe/Berlin',
    cases: [],
    has_more_cases: false,
    scope: 'team' as const,
  }
  expect(writeHandover({ ...facts, resolved_count: 2, promises: [], on_call: [] })).toEqual([
    {
      text: 'Since 21 Nov 2026, 01:00 (Europe/Berlin): No open case of the team, 0 wait for a colleague, 2 resolved, 0 with a time to continue.',
      path: null,
    },
  ])
})
