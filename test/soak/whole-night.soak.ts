import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectNothingWaitsForNobody } from './week-checks.ts'
import { alertCount, maxCasesOfAlerts, type Name, type Night, names, playWholeNight } from './whole-night.ts'

interface Told {
  who: string
  way: 'mail' | 'chat' | 'app' | 'push' | 'phone'
  text: string
}

/** Who was told what, by which way. */
async function listTold({ service, people, accountId }: Night): Promise<Told[]> {
  const { listRecords } = dashboard(service)
  const nameOf = (email: string) => names.find((name) => people[name].email === email) ?? email
  const mails = (await listRecords('mail')).map(
    ({ to, subject, text }): Told => ({ who: nameOf(to[0]), way: 'mail', text: `${subject}\n${text}` }),
  )
  const messages = (await listRecords('chat'))
    .filter(({ accepted }) => accepted)
    .map(({ body }): Told => ({ who: 'channel', way: 'chat', text: listTexts(body).join('\n') }))
  const records = service.stack.localServer.dashboard.records
  const pushes = records
    .list('push')
    .filter(({ message }) => message !== null)
    .map(({ message }): Told => ({ who: 'Nina', way: 'push', text: JSON.stringify(message) }))
  const calls = records
    .list('phone')
    .filter(({ refused }) => !refused)
    .map(({ text }): Told => ({ who: 'Nina', way: 'phone', text }))
  const rows = await service.sql<{ name: string; title: string }>(
    `select u.full_name as name, n.title from notifications n join users u on u.id = n.user_id
      where n.account_id = $1 order by n.id desc`,
    [accountId],
  )
  const inApp = rows.map(({ name, title }): Told => ({ who: name, way: 'app', text: title }))
  return [...mails, ...messages, ...pushes, ...calls, ...inApp].reverse()
}

function listTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    key === 'text' && typeof item === 'string' ? [item] : listTexts(item),
  )
}

describe.each(['node', 'cloudflare'] as const)('a whole night on %s', (platform) => {
  let night: Night
  let told: Told[]
  beforeAll(async () => {
    night = await playWholeNight(await startOwnService({}, { platform, databaseFaults: true }))
    told = await listTold(night)
    for (const { who, way, text } of told.filter(({ way }) => way !== 'app'))
      console.log(`\n━━ ${platform}, to ${who} by ${way}\n${text}`)
    console.log(`\n━━ ${platform}, the handover at dawn\n${night.handover}`)
  }, 900_000)
  afterAll(() => night?.service.close())

  /** Count how often each person was told by a way of what has these words. */
  const count = (way: Told['way'], words: RegExp) =>
    Object.fromEntries(
      [
        ...Map.groupBy(
          told.filter((one) => one.way === way && words.test(one.text)),
          ({ who }) => who,
        ),
      ]
        .map(([who, list]) => [who, list.length] as const)
        .sort(),
    )

  it('HND-37 ONC-36 tells each person of each escalation once, by mail and in the app, while vendors fail', () => {
    const everyone = { Lena: 1, Nina: 1, Olga: 1 }
    expect(count('mail', /^Joe escalated: The print server/)).toEqual(everyone)
    expect(count('app', /^Joe escalated: The print server/)).toEqual(everyone)
    expect(count('mail', /^Joe escalated: The website/)).toEqual(everyone)
    expect(count('chat', /Joe escalated: The website/)).toEqual({ channel: 1 })
    expect(count('app', /^Joe escalated: A mailbox/)).toEqual({ Lena: 1, Olga: 1 })
  })

  it('NOT-118 PHO-12 wakes who sleeps by the next channel of their order, and nobody who has taken it', () => {
    expect(count('push', /critical escalation waits for you/)).toEqual({ Nina: 1 })
    expect(count('push', /high escalation waits for you/)).toEqual({ Nina: 1 })
    // The critical one was picked up before.
    expect(count('phone', /critical/)).toEqual({})
    expect(count('phone', /high escalation waits/i)).toEqual({ Nina: 1 })
  })

  it('ONC-11 reminds who sleeps, then the lead and the channel', () => {
    const reminded = /^Nobody has taken.*The website/
    expect(count('app', reminded)).toEqual({ Lena: 1, Nina: 1 })
    expect(
      count('mail', /^(Re: )?.*The website[^\n]*\n[\s\S]*Nobody has taken|^Nobody has taken.*The website/),
    ).toMatchObject({
      Lena: 1,
      Nina: 1,
    })
  })

  it('AIS-59 tells who is concerned that the case of who has left waits again', () => {
    expect(count('app', /^Waits for a colleague again: The print server/)).toEqual({
      Joe: 1,
      Lena: 1,
      Olga: 1,
    })
    expect(count('app', /on call/)).toMatchObject({ Lena: expect.any(Number) })
  })

  it('RUN-05 RUN-10 ran one script on one machine of the client, by the approval given in the chat', async () => {
    const runs = await night.service.sql(
      `select r.title, r.target, r.exit_code, s.client_name, u.full_name as approved_by, r.ai_session_id as case_id
         from script_runs r join ai_sessions s on s.id = r.ai_session_id
         left join approvals a on a.id = r.approval_id left join users u on u.id = a.decided_by
        where r.account_id = $1`,
      [night.accountId],
    )
    const [run] = [
      { title: 'Restart the spooler', target: 'SRV-PRINT-01', exit_code: 0, client_name: 'Northwind' },
    ]
    expect(runs).toEqual([{ ...run, approved_by: 'Lena', case_id: night.cases.printer }])
    expect(night.refusedRuns).toEqual([
      'approval_required',
      'approval_required',
      'approval_required',
      'approval_required',
    ])
  })

  it('ALT-02 ALT-09 ALT-15 the storm opens as many cases as it may, of who is on call then, and tells once', async () => {
    const rows = await night.service.sql<{ verdict: string; owner: string | null; count: number }>(
      `select a.verdict, u.full_name as owner, count(*)::integer as count
         from alerts a left join ai_sessions s on s.id = a.ai_session_id left join users u on u.id = s.user_id
        where a.account_id = $1 group by 1, 2 order by 1 desc`,
      [night.accountId],
    )
    const opened = rows.filter(({ verdict }) => verdict === 'opened')
    expect(opened).toEqual([{ verdict: 'opened', owner: 'Lena', count: maxCasesOfAlerts }])
    // Some that were over before their turn are ignored, the others are above the limit.
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(alertCount)
    expect(rows.filter(({ owner }) => owner !== null)).toEqual(opened)
    expect(count('mail', /^Too many alerts to open cases/)).toEqual({ Olga: 1 })
    expect(count('mail', /^Alert: Disk/)).toEqual({ Lena: maxCasesOfAlerts })
  })

  it('NOT-112 no message that was pressed says both that nobody and that somebody has taken it', () => {
    expect(told.filter(({ text }) => /Nobody has taken/.test(text) && /Taken by/.test(text))).toEqual([])
    expect(count('chat', /^Taken by Lena: The website/)).toEqual({ channel: 1 })
  })

  it('leaves nothing ownerless at dawn, and no work undone', async () => {
    const { service, people, accountId } = night
    const gone = (['Nina'] as Name[]).map((name) => people[name])
    await expectNothingWaitsForNobody({ service, admin: people.Olga, gone })
    const cases = await service.sql<{ title: string; status: string; holder: string }>(
      `select s.title, s.status, u.full_name as holder from ai_sessions s
         join users u on u.id = coalesce(s.picked_up_by_id, s.user_id) where s.id::text = any ($1) order by 1`,
      [`{${Object.values(night.cases).join(',')}}`],
    )
    expect(cases.map(({ status, holder }) => `${status} ${holder}`).sort()).toEqual([
      'active Lena',
      'active Lena',
      'resolved Lena',
    ])
    for (const words of ['The website', 'A mailbox']) expect(night.handover).toContain(words)
    const open = await service.sql(
      `select 'delivery' as kind, last_error from deliveries
        where account_id = $1 and state in ('pending', 'retrying', 'held', 'failed')
          -- What is over before its time is left out.
          and coalesce(last_error, '') not in ('Somebody has taken the escalation since', 'The request was decided or has ended since')
       union all select 'reminder', last_error from escalation_reminders where account_id = $1 and state in ('waiting', 'retrying')
       union all select 'push', last_error from psa_pushes where account_id = $1 and state <> 'pushed'
       union all select 'run', last_error from runner_runs where account_id = $1 and state <> 'finished'
       union all select 'case', title from ai_sessions where account_id = $1 and returns_at is not null`,
      [accountId],
    )
    expect(open).toEqual([])
  })
})
