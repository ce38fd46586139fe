import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import {
  escalations,
  expectedReminders,
  type PlannedEscalation,
  policySteps,
  stepMinutes,
} from './night-shift.ts'
import { type Night, playNight } from './night-shift-play.ts'

// A night shift of three teams with twelve people and forty escalations, while one vendor after the other
// fails.

const readName = (text: string) => /Incident \d+/.exec(text)?.[0]

async function listReminded({ service, teams, running, start }: Night) {
  const rows = await service.sql<{
    handoff_id: string
    round: number
    step: number
    user_id: string
    sent_at: Date
  }>(
    `select f.handoff_id, r.round, r.step, n.user_id, r.sent_at from notifications n
       join escalation_reminders r on r.event_id = n.event_id join escalation_follow_ups f on f.id = r.follow_up_id
      where n.event_key = 'escalation.reminded'`,
  )
  const names = new Map([...running].map(([name, { handoffId }]) => [handoffId, name]))
  const roles = new Map(teams.flatMap((team) => Object.entries(team).map(([role, { id }]) => [id, role])))
  return rows.map(({ handoff_id, round, step, user_id, sent_at }) => {
    const [name = '', receiver] = [names.get(handoff_id), roles.get(user_id)]
    return { name, round, step, receiver, minute: (sent_at.getTime() - start) / 60_000 }
  })
}

const format = ({
  name,
  round,
  step,
  receiver,
}: {
  name: string
  round: number
  step: number
  receiver: string | undefined
}) => `${name}: round ${round}, step ${step}, ${receiver}`

describe.each(['node', 'cloudflare'] as const)('a night shift on %s', (platform) => {
  let night: Night
  const listRecords = (name: 'mail' | 'chat') => dashboard(night.service).listRecords(name)
  beforeAll(async () => {
    night = await playNight(await startOwnService({}, { platform, databaseFaults: true }))
  }, 300_000)
  afterAll(() => night.service.close())

  it('ONC-11 ONC-12 ONC-13 ONC-14 reminds exactly those who are due, once each', async () => {
    expect((await listReminded(night)).map(format).sort()).toEqual(expectedReminders.map(format).sort())
  })

  it('ONC-11 reminds within one step of the clock after the delay, also while the queue is down', async () => {
    const late: object[] = []
    for (const [name, reminders] of Map.groupBy(await listReminded(night), (reminded) => reminded.name)) {
      let previous = escalations.find((planned) => planned.name === name)?.minute ?? 0
      for (const { round, step, minute } of reminders.sort((a, b) => a.minute - b.minute)) {
        const waited = minute - previous - (policySteps[step - 1]?.delay ?? 0)
        if (waited < 0 || waited > stepMinutes + 1) late.push({ name, round, step, waited })
        previous = minute
      }
    }
    expect(late).toEqual([])
  })

  it('ONC-12 sends one e-mail per reminder and receiver', async () => {
    const mails = (await listRecords('mail')).filter(({ subject }) => subject.startsWith('Nobody has taken'))
    const received = mails.map(({ to, subject }) => `${readName(subject)} to ${to[0]}`)
    const expected = expectedReminders.map(
      ({ name, team, receiver }) => `${name} to ${night.teams[team]?.[receiver].email}`,
    )
    expect(received.sort()).toEqual(expected.sort())
  })

  it('ONC-12 sends one chat message per reminder to the channel', async () => {
    const messages = (await listRecords('chat'))
      .filter(({ accepted }) => accepted)
      .map(({ body }) => JSON.stringify(body))
    const received = messages.map((message) => readName(message))
    const expected = expectedReminders.filter(({ receiver }) => receiver === 'lead').map(({ name }) => name)
    expect(received.sort()).toEqual(expected.sort())
  })

  it('NOT-77 NOT-79 sends the leads e-mails about urgent escalations at once, and one digest of the others at 6:00', async () => {
    const mails = await listRecords('mail')
    for (const [team, { lead }] of night.teams.entries()) {
      const announced = escalations.filter((planned) => team === 0 || planned.team === team)
      const isUrgent = ({ urgency }: PlannedEscalation) => urgency === 'high' || urgency === 'critical'
      const toLead = mails.filter(({ to }) => to[0] === lead.email)
      const atOnce = toLead
        .filter(({ subject }) => subject.includes('escalated:'))
        .map(({ subject }) => readName(subject))
      expect(atOnce.sort()).toEqual(announced.filter(isUrgent).map(({ name }) => name))
      const digests = toLead.filter(({ subject }) => subject.startsWith('Digest'))
      // What somebody has taken is left out. The lead learns who took what an e-mail has told the lead
      // before: an urgent one, or a reminder.
      const isReminded = ({ name }: PlannedEscalation) =>
        expectedReminders.some(
          (reminder) => reminder.name === name && reminder.team === team && reminder.receiver === 'lead',
        )
      const waiting = announced.filter((planned) => !isUrgent(planned) && planned.response.type === 'none')
      const isTold = (planned: PlannedEscalation) => isUrgent(planned) || isReminded(planned)
      const taken = announced.filter(
        (planned) => isTold(planned) && /^(claim|resolution)$/.test(planned.response.type),
      )
      expect(digests.map(({ text }) => text.match(/Incident \d+/g)?.sort())).toEqual([
        [...waiting, ...taken].map(({ name }) => name).sort(),
      ])
      expect((Date.parse(digests[0]?.at) - night.start) / 60_000).toBeGreaterThanOrEqual(8 * 60)
    }
  })

  it('notifies each engineer once of a claim or an acknowledgement', async () => {
    const titles: string[] = []
    for (const { engineer } of night.teams) {
      const list = await engineer.client.notifications.list({ limit: 100 })
      titles.push(...list.map(({ event_key, body }) => `${event_key} ${readName(body)}`))
    }
    const notified = titles.filter((title) => /^(handoff.claimed|escalation.acknowledged)/.test(title))
    const keys = {
      claim: 'handoff.claimed',
      acknowledgement: 'escalation.acknowledged',
      resolution: 'handoff.claimed',
    }
    const expected = escalations.flatMap(({ name, response }) =>
      response.type === 'none' ? [] : [`${keys[response.type]} ${name}`],
    )
    expect(notified.sort()).toEqual(expected.sort())
  })

  it('leaves no work undone', async () => {
    const open = await night.service.sql(
      `select 'reminder' as kind, id from escalation_reminders where state in ('waiting', 'retrying')
        union all select 'delivery', id from deliveries
         where state in ('pending', 'retrying', 'held', 'failed') and last_error is distinct from 'Somebody has taken the escalation since'`,
    )
    expect(open).toEqual([])
  })
})
