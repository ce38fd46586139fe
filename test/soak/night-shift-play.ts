import { insertAiSession } from '#test/support/ai.ts'
import { dashboard, type OwnService, request } from '#test/support/app.ts'
import { claimHandoff, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, createPerson, type Person, type TestAccount } from '#test/support/people.ts'
import {
  escalations,
  faults,
  handoffMinute,
  lastMinute,
  type PlannedEscalation,
  policyRounds,
  policySteps,
  type Role,
  stepMinutes,
  teamNames,
  toLocalTime,
} from './night-shift.ts'

export type Team = Record<Role | 'engineer', Person>

export interface Night {
  service: OwnService
  account: TestAccount
  teams: Team[]
  /** The escalations by their names. */
  running: Map<string, { id: string; handoffId: string }>
  /** When the shift began, in milliseconds since the epoch. */
  start: number
}

/** The sweep takes what is due for 5 seconds, so the clock is moved twice per step. */
const lastSeconds = 6
const minutesUntilSix = 8 * 60

/**
 * Play the night on a service: the next one that begins at 22:00. It ends after 6:00, when every message has
 * been sent.
 */
export async function playNight(service: OwnService): Promise<Night> {
  const { advanceClock } = dashboard(service)
  await advanceClock(countSecondsUntil(toLocalTime(0), readClock(service)))
  const account = await createAccount(service)
  await service.sql(`update accounts set subscription_status = 'active' where id = $1`, [account.id])
  const teams = await createTeams(service, account)
  const night = { service, account, teams, running: new Map(), start: readClock(service) }
  for (let minute = 0; minute <= lastMinute; minute += stepMinutes) await playStep(night, minute)
  await advanceClock((minutesUntilSix - lastMinute + 1) * 60)
  await service.stack.localServer.qstash.waitUntilSettled()
  return night
}

const readClock = ({ stack }: OwnService) => Date.now() + stack.localServer.clock.offsetMs()

function countSecondsUntil(time: string, now: number): number {
  const today = Date.parse(`${new Date(now).toISOString().slice(0, 10)}T${time}:00.000Z`)
  return Math.ceil((today > now ? today - now : today + 86_400_000 - now) / 1000)
}

async function createTeams(service: OwnService, account: TestAccount): Promise<Team[]> {
  const fields = { channel: 'chat1_webhook' as const, webhook_url: `${service.localOrigin}/chat/1/night` }
  const channel = await account.admin.client.notifications.createConfig(fields)
  const today = new Date(readClock(service)).toISOString().slice(0, 10)
  const teams: Team[] = []
  for (const name of teamNames) {
    const team = await createTeam(service, account, name, teams.length === 0 ? account.admin : undefined)
    await planTeam(account, name, team, channel.id, today)
    teams.push(team)
  }
  return teams
}

async function createTeam(
  service: OwnService,
  { id: accountId, admin }: TestAccount,
  name: string,
  lead?: Person,
): Promise<Team> {
  const teamId = lead?.teamId ?? (await admin.client.accounts.teams.create({ name })).id
  const add = (teamRole: 'member' | 'admin') =>
    createPerson(service, { accountId, teamId, teamRole, role: 'engineer', superAdmin: false })
  return {
    lead: lead ?? (await add('admin')),
    first: await add('member'),
    second: await add('member'),
    engineer: await add('member'),
  }
}

/**
 * Put two people of a team on call one after the other, and make its policy. The lead sleeps, and gets
 * e-mails in the morning.
 */
async function planTeam(
  { admin }: TestAccount,
  name: string,
  team: Team,
  channel: string,
  starts_on: string,
): Promise<void> {
  const { lead, first, second } = team
  const { schedules, policies } = admin.client.oncall
  const rotation = {
    kind: 'daily' as const,
    members: [first.id, second.id],
    handoff_time: toLocalTime(handoffMinute),
    starts_on,
  }
  const schedule = await schedules.create({
    team_id: lead.teamId,
    timezone: 'UTC',
    name: `${name}, nights`,
    rotations: [rotation],
  })
  const targets = {
    on_call: [{ type: 'schedule' as const, id: schedule.id }],
    lead: [
      { type: 'user' as const, id: lead.id },
      { type: 'channel' as const, id: channel },
    ],
  }
  const steps = policySteps.map(({ delay, notifies }) => ({
    delay_minutes: delay,
    targets: targets[notifies],
  }))
  await policies.create({ name, team_id: lead.teamId, is_default: true, rounds: policyRounds, steps })
  const days = [
    'monday' as const,
    'tuesday' as const,
    'wednesday' as const,
    'thursday' as const,
    'friday' as const,
  ]
  const quiet_hours = { days: [...days, 'saturday' as const, 'sunday' as const], from: '21:00', to: '06:00' }
  await lead.client.notifications.preferences.replace({ quiet_hours })
}

async function playStep(night: Night, minute: number): Promise<void> {
  const { advanceClock, setFaults, clearFaults, isDatabaseDown } = createControls(night.service)
  if (minute > 0) {
    // Without its database, cron fails.
    await advanceClock(stepMinutes * 60 - lastSeconds).catch((error: unknown) => {
      if (!isDatabaseDown()) throw error
    })
    if (faults.some(({ to }) => to === minute)) clearFaults()
    await advanceClock(lastSeconds)
  }
  for (const planned of escalations) await act(night, planned, minute)
  setFaults(minute)
}

function createControls(service: OwnService) {
  const { faults: active } = service.stack.localServer
  const setFaults = (minute: number) => {
    for (const { from, to: _, ...fault } of faults) if (from === minute) active.set(fault)
  }
  const isDatabaseDown = () => active.list().some(({ service }) => service === 'postgres')
  return {
    advanceClock: dashboard(service).advanceClock,
    clearFaults: () => active.clear(),
    setFaults,
    isDatabaseDown,
  }
}

/**
 * Do what people do with an escalation at a minute: escalate it, claim, acknowledge or resolve it, or
 * nothing.
 */
async function act(night: Night, planned: PlannedEscalation, minute: number): Promise<void> {
  const { name, urgency, response, team } = planned
  const { first, second, engineer } = night.teams[team] as Team
  if (minute === planned.minute)
    night.running.set(name, await escalate(night.service, engineer, name, { urgency, reason: 'Night' }))
  if (response.type === 'none' || minute !== planned.minute + response.after) return
  const { id, handoffId } = night.running.get(name) ?? { id: '', handoffId: '' }
  const onCall = minute < handoffMinute ? first : second
  if (response.type === 'claim') expectStatus(await claimHandoff(onCall, id, handoffId), 200)
  else if (response.type === 'acknowledgement') await acknowledge(night, name)
  else {
    expectStatus(await pickUpSession(onCall, id), 200)
    expectStatus(await onCall.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved' }), 200)
  }
}

/**
 * Escalate a session that is inserted, because the limits per minute do not follow the clock of the night.
 */
async function escalate(service: OwnService, engineer: Person, name: string, input: Record<string, unknown>) {
  const id = await insertAiSession(service, engineer)
  await service.sql('update ai_sessions set title = $2, problem_summary = $2 where id = $1', [id, name])
  return { id, ...(await escalateSession(engineer, id, input)) }
}

/** Press the button of the page to which the reminder of an escalation links. */
async function acknowledge({ service }: Night, name: string): Promise<void> {
  const mails = await dashboard(service).listRecords('mail')
  const mail = mails.find(({ subject }) => subject.startsWith('Nobody has taken') && subject.includes(name))
  const path = /api\/v1(\/acknowledge\/[\w.-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
  expectStatus(await request(service, 'POST', path), 200)
}
