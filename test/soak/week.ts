import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { dashboard, type OwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createStep } from '#test/support/flow-nodes.ts'
import { createFlow } from '#test/support/flows.ts'
import { createLastingAccount, createSchedule } from '#test/support/maintenance.ts'
import type { Person } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'
import { createDefaultPolicy } from '#test/support/reminders.ts'
import { proceduralFlowFields } from '#test/support/sessions.ts'
import { createChildFlow } from '#test/support/subflows.ts'
import { createRandom, type Random } from './random.ts'

// The people of a service desk, what they have at the start of the week, and what happens to them.

const hourMs = 3_600_000

/** The time that was asked for, and how it must be in the ticketing system. */
export interface Booking {
  memberId: string
  minutes: number
  ticket: string
}

export interface Week {
  service: OwnService
  random: Random
  admin: Person
  teams: string[]
  people: Person[]
  memberIds: Map<string, string>
  /** Whoever works today. Those who are on holiday do not. */
  workers: Set<Person>
  /** Whoever can no longer work. */
  gone: Person[]
  flows: string[]
  maintenanceFlows: Map<string, string>
  tickets: string[]
  bookings: Map<string, Booking>
  /** How often each act was done or refused. */
  acts: Map<string, number>
  /** Midnight of the Monday, in milliseconds since the epoch. */
  start: number
}

/** Who is on call each day: the leaver, the substitute of a holiday, and who of the rotation is left. */
export const onCallPeople = [2, 8, 8, 8, 8, 7, 7]

export const readClock = ({ stack }: OwnService) => Date.now() + stack.localServer.clock.offsetMs()

/** Move the clock to a day and an hour of the week, and wait until everything that became due is done. */
export async function moveTo({ service, start }: Week, day: number, hour: number): Promise<void> {
  const seconds = (start + (day * 24 + hour) * hourMs - readClock(service)) / 1000
  // The sweep takes what is due for 5 seconds.
  for (const part of [seconds - 10, 10]) await dashboard(service).advanceClock(Math.ceil(part))
  await service.stack.localServer.qstash.waitUntilSettled()
}

const approvalOf = (approval: object) => [
  { roles: ['team_admin'], expires_after_minutes: 10_080 },
  { ...approval, expires_after_minutes: 10_080 },
]

/** Create a flow whose first step runs a sub-flow, and whose second needs an approval. */
function createGatedFlow(author: Person, name: string, childId: string, approval: object) {
  const steps = [
    createStep('run', { subflow: { tree_id: childId, inputs: { server: 'srv-1' } } as never }),
    createStep('gate', { approval } as never),
    createStep('note', {} as never),
    { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
  ]
  return createFlow(author, {
    name,
    visibility: 'account',
    tree_type: 'procedural',
    intake_form: [],
    tree_structure: { steps },
  })
}

/** Create the desk: an account admin, and two teams with an admin and three engineers each. */
export async function openDesk(service: OwnService, seed: number): Promise<Week> {
  const monday = new Date(readClock(service))
  monday.setUTCHours(0, 0, 0, 0)
  monday.setUTCDate(monday.getUTCDate() + ((8 - monday.getUTCDay()) % 7 || 7))
  const start = monday.getTime()
  await dashboard(service).advanceClock(Math.ceil((start + 7 * hourMs - readClock(service)) / 1000))
  const account = await createLastingAccount(service)
  const { admin } = account
  const second = (await admin.client.accounts.teams.create({ name: 'Servers' })).id
  const add = (teamId: string, teamRole: 'admin' | 'member' = 'member') =>
    account.addColleague({ teamId, teamRole })
  const people = [
    admin,
    ...[await add(account.teamId, 'admin'), await add(account.teamId), await add(account.teamId)],
    ...[await add(account.teamId), await add(second, 'admin'), await add(second), await add(second)],
    await add(second),
  ]
  await service.sql(`update sign_ins set expires_at = '2100-01-01' where account_id = $1`, [account.id])
  await connectPsa(service, admin, 'connectwise')
  const psa = buildPsaData()
  const members = psa.members.filter(({ inactive }) => !inactive)
  // The ticketing system may have fewer members than the desk has people: the others book for a colleague.
  const memberIds = new Map(
    people.flatMap(({ id }, n) => (members[n] ? [[id, String(members[n].id)] as const] : [])),
  )
  for (const [user_id, psa_member_id] of memberIds)
    await admin.client.psa.members.putMapping({ user_id, psa_member_id })
  const week: Week = {
    service,
    random: createRandom(seed),
    admin,
    teams: [account.teamId, second],
    people,
    memberIds,
    workers: new Set(people),
    gone: [],
    flows: [],
    maintenanceFlows: new Map(),
    tickets: psa.tickets.filter(({ closed }) => !closed).map(({ id }) => String(id)),
    bookings: new Map(),
    acts: new Map(),
    start,
  }
  await fillDesk(week)
  return week
}

async function fillDesk(week: Week): Promise<void> {
  const { admin, people, teams, flows, start } = week
  const [, lead, leaver, , mover, otherLead, viewer, traveller, substitute] = people as [
    ...[Person, Person, Person, Person, Person, Person, Person, Person, Person],
  ]
  const child = await createChildFlow(lead, { visibility: 'account' })
  const approvals = [leaver, viewer, mover].flatMap(({ id }) => approvalOf({ user_ids: [id] }))
  for (const [n, approval] of approvals.entries())
    flows.push((await createGatedFlow(lead, `Flow ${n}`, child.id, approval)).id)
  flows.push((await createFlow(leaver, { name: 'Private', visibility: 'private' })).id)
  for (const [n, person] of [lead, otherLead].entries())
    week.maintenanceFlows.set(
      teams[n] ?? '',
      (await createFlow(person, proceduralFlowFields({ name: `Patches ${n}` }))).id,
    )
  for (const person of [leaver, viewer, mover])
    await createSchedule(person, {
      tree_id: week.maintenanceFlows.get(person.teamId),
      name: `Patches of ${person.fullName}`,
      cron: '0 9 * * *',
    })
  const schedule = await admin.client.oncall.schedules.create({
    name: 'Days',
    timezone: 'UTC',
    rotations: [
      {
        kind: 'daily',
        members: [leaver, viewer, traveller].map(({ id }) => id),
        handoff_time: '00:00',
        starts_on: new Date(start).toISOString().slice(0, 10),
      },
    ],
  })
  await admin.client.oncall.schedules.createOverride({
    schedule_id: schedule.id,
    member_id: substitute.id,
    starts_at: new Date(start + 24 * hourMs).toISOString(),
    ends_at: new Date(start + 5 * 24 * hourMs).toISOString(),
  })
  await createDefaultPolicy(admin, [[{ type: 'schedule', id: schedule.id }]], 2)
}

const changeMember = async ({ admin }: Week, person: Person, change: object) =>
  void expectStatus(await admin.call('PATCH', `/accounts/me/members/${person.id}`, change), 200)
const lose = (week: Week, person: Person) => {
  week.workers.delete(person)
  week.gone.push(person)
}

/** What happens to people, on which day of the week. */
export const changes: readonly { on: number; happen: (week: Week) => Promise<void> }[] = [
  { on: 1, happen: async ({ workers, people }) => void workers.delete(people[7] as Person) },
  {
    on: 1,
    async happen(week) {
      const leaver = week.people[2] as Person
      expectStatus(await week.admin.call('DELETE', `/accounts/me/members/${leaver.id}`), 204)
      lose(week, leaver)
    },
  },
  {
    on: 2,
    async happen(week) {
      const viewer = week.people[6] as Person
      await changeMember(week, viewer, { role: 'viewer' })
      lose(week, viewer)
    },
  },
  {
    on: 3,
    happen: (week) =>
      changeMember(week, week.people[4] as Person, { team_id: week.teams[1], team_role: 'member' }),
  },
  // The holiday is over.
  { on: 5, happen: async ({ workers, people }) => void workers.add(people[7] as Person) },
]
