import { describe, expect, it } from 'vitest'
import { fold } from '#rules/text/fold.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await sharedService()

/** Return the ticket numbers of the sessions that match a query, newest first. */
async function listTickets({ admin }: TestAccount, query: Record<string, string>): Promise<string[]> {
  const { status, body } = await admin.call('GET', `/sessions?${new URLSearchParams(query)}`)
  expect(status).toBe(200)
  return body.map((session: { ticket_number: string }) => session.ticket_number)
}

const day = (n: number) => `2026-03-0${n}T12:00:00.000Z`

/** Create three sessions, started on March 1 to 3. The first two were completed a day later. */
async function createThreeSessions() {
  const account = await createAccount(service)
  const [vpn, printer] = [
    await createFlow(account.admin, { name: 'VPN 100%' }),
    await createFlow(account.admin, { name: 'Printer offline' }),
  ]
  const sessions = []
  for (const [n, ticket_number, client_name, flow] of [
    [1, 'INC-100', 'Contoso Dental', vpn],
    [2, 'INC-200', 'Fabrikam', printer],
    [3, 'REQ-100', 'contoso legal', printer],
  ] as const) {
    const session = await createSession(account.admin, { tree_id: flow.id, ticket_number, client_name })
    const completion =
      n < 3 ? `, state = 'completed', outcome = 'resolved', completed_at = started_at + interval '1 day'` : ''
    await service.sql('update sessions set started_at = $2, created_at = $2 where id = $1', [
      session.id,
      day(n),
    ])
    if (completion)
      await service.sql(`update sessions set id = id ${completion}  where id = $1`, [session.id])
    sessions.push(session)
  }
  return { account, sessions }
}

describe('the list of sessions', () => {
  it('SES-46 filters sessions by state, by user, and by whether they are mine', async () => {
    const { account } = await createThreeSessions()
    const colleague = await account.addColleague()
    await createSession(colleague, { ticket_number: 'INC-300' })
    const results: Record<string, string[]> = {}
    for (const query of [
      'state=completed',
      'state=prepared',
      `user_id=${colleague.id}`,
      'mine=true',
      'mine=false',
      'mine=false&state=completed',
    ])
      results[query.replace(colleague.id, 'colleague')] = await listTickets(
        account,
        Object.fromEntries(new URLSearchParams(query)),
      )
    expect(results).toEqual({
      'state=completed': ['INC-200', 'INC-100'],
      'state=prepared': [],
      'user_id=colleague': ['INC-300'],
      'mine=true': ['REQ-100', 'INC-200', 'INC-100'],
      'mine=false': ['INC-300'],
      'mine=false&state=completed': [],
    })
    for (const query of ['state=open', 'mine=1', 'user_id=me'])
      expectStatus(await account.admin.call('GET', `/sessions?${query}`), 422)
  })

  it('SES-01 SES-03 filters sessions by part of the ticket, client and flow, ignoring case and without wildcards', async () => {
    const { account } = await createThreeSessions()
    const results: Record<string, string[]> = {}
    for (const [field, part] of [
      ['ticket_number', 'inc'],
      ['ticket_number', '00'],
      ['ticket_number', '_'],
      ['client_name', 'CONTOSO'],
      ['client_name', '%'],
      ['tree_name', 'print'],
      ['tree_name', '0%'],
      ['tree_name', '\\'],
    ] as const)
      results[`${field}=${part}`] = await listTickets(account, { [field]: part })
    expect(results).toEqual({
      'ticket_number=inc': ['INC-200', 'INC-100'],
      'ticket_number=00': ['REQ-100', 'INC-200', 'INC-100'],
      'ticket_number=_': [],
      'client_name=CONTOSO': ['REQ-100', 'INC-100'],
      'client_name=%': [],
      'tree_name=print': ['REQ-100', 'INC-200'],
      'tree_name=0%': ['INC-100'],
      'tree_name=\\': [],
    })
  })

  it('SES-03 filters sessions by one or two letters at any position, in any writing system', async () => {
    const { admin, ...account } = await createAccount(service)
    const clients = ['Zebra', 'a&b GmbH', '東京電力', 'Éclair-x', 'Ωmega 3', '3M', 'Jo_y', 'мир', 'i-i', 'x']
    for (const client_name of clients) await createSession(admin, { client_name, ticket_number: client_name })
    const parts = clients.flatMap((name) =>
      [...name].flatMap((letter, n) => [letter, [...name].slice(n, n + 2).join('')]),
    )
    for (const part of new Set([...parts, 'zz', '&&', 'z-', '京東'].filter((text) => text === text.trim()))) {
      const matches = (name: string) => fold(name).includes(fold(part))
      expect(await listTickets({ admin, ...account }, { client_name: part }), part).toEqual(
        clients.filter(matches).reverse(),
      )
    }
    expect(await listTickets({ admin, ...account }, { client_name: 'x', ticket_number: 'É' })).toEqual([
      'Éclair-x',
    ])
  })

  it('SES-02 filters sessions by start and completion time, in any UTC offset', async () => {
    const { account } = await createThreeSessions()
    const list = (query: Record<string, string>) => listTickets(account, query)
    expect(await list({ started_after: day(2) })).toEqual(['REQ-100', 'INC-200'])
    expect(await list({ started_before: day(2) })).toEqual(['INC-200', 'INC-100'])
    expect(await list({ started_after: '2026-03-02T14:00:01+02:00', started_before: day(9) })).toEqual([
      'REQ-100',
    ])
    expect(await list({ completed_after: day(3) })).toEqual(['INC-200'])
    expect(await list({ completed_before: '2026-03-02T14:00:00+02:00' })).toEqual(['INC-100'])
    expect(await list({ completed_after: day(1), completed_before: day(9) })).toEqual(['INC-200', 'INC-100'])
    for (const value of ['yesterday', '2026-02-30', '1999-01-01', '0001-01-01T00:00:00Z'])
      expectStatus(await account.admin.call('GET', `/sessions?started_after=${value}`), 422)
  })

  it('SES-59 takes a date as the whole day in the time zone of the account', async () => {
    const { account } = await createThreeSessions()
    const list = (query: Record<string, string>) => listTickets(account, query)
    // The session of the second day started at 12:00 UTC.
    expect(await list({ started_after: '2026-03-02', started_before: '2026-03-02' })).toEqual(['INC-200'])
    await service.sql(`update accounts set timezone = 'Pacific/Kiritimati' where id = $1`, [account.id])
    expect(await list({ started_after: '2026-03-02', started_before: '2026-03-02' })).toEqual(['INC-100'])
    expect(await list({ started_after: '2026-03-03', started_before: '2026-03-03' })).toEqual(['INC-200'])
  })

  it('SES-03 lists the sessions of a batch', async () => {
    const { account, sessions } = await createThreeSessions()
    const batch_id = crypto.randomUUID()
    await service.sql('update sessions set batch_id = $2 where id = $1', [sessions[1].id, batch_id])
    expect(await listTickets(account, { batch_id })).toEqual(['INC-200'])
    expect(await listTickets(account, { batch_id: crypto.randomUUID() })).toEqual([])
  })

  it('SES-04 combines all filters of the session list', async () => {
    const { account, sessions } = await createThreeSessions()
    const batch_id = crypto.randomUUID()
    await service.sql('update sessions set batch_id = $2 where id = any ($1)', [
      sessions.map(({ id }) => id),
      batch_id,
    ])
    const matching = {
      ticket_number: '100',
      client_name: 'contoso',
      tree_name: 'vpn',
      batch_id,
      started_after: day(1),
      started_before: day(1),
      completed_after: day(2),
      completed_before: day(2),
    }
    expect(await listTickets(account, matching)).toEqual(['INC-100'])
    const nonMatching = {
      ticket_number: 'REQ',
      client_name: 'fabrikam',
      tree_name: 'printer',
      batch_id: crypto.randomUUID(),
      started_after: day(2),
      started_before: '2026-02-28T00:00:00Z',
      completed_after: day(3),
      completed_before: day(1),
    }
    for (const [field, value] of Object.entries(nonMatching))
      expect([field, await listTickets(account, { ...matching, [field]: value })]).toEqual([field, []])
  })

  it('omits the content of the sessions from the list', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin, { ticket_number: 'T-1', client_name: 'Contoso' })
    const {
      variables,
      decisions,
      custom_steps,
      fallback_decisions,
      current_step,
      procedure_end,
      notes,
      next_steps,
      tree_snapshot,
      timer_due_at,
      flow_overdue_since,
      ...item
    } = session
    const { tree_structure, intake_form, ...snapshot } = tree_snapshot
    expect((await admin.call('GET', '/sessions')).body).toEqual([{ ...item, tree_snapshot: snapshot }])
  })

  it.each([
    [
      'repeats no session when one starts',
      (admin: Person, tree_id: string) => createSession(admin, { tree_id }),
    ],
    [
      'hides no session when one goes',
      (_: Person, __: string, id: string) => service.sql('delete from sessions where id = $1', [id]),
    ],
  ])('WIR-67 %s', async (_, change) => {
    const { admin } = await createAccount(service)
    const { id: tree_id } = await createFlow(admin)
    for (let n = 0; n < 6; n++) await createSession(admin, { tree_id })
    const expected = (await admin.client.sessions.list()).map(({ id }) => id)
    const walked: string[] = []
    for await (const { id } of admin.client.sessions.list({ limit: 3 })) {
      walked.push(id)
      if (walked.length === 3) await change(admin, tree_id, id)
    }
    expect(walked).toEqual(expected)
  })

  it('WIR-06 WIR-20 WIR-21 returns each session of the account on exactly one page', async () => {
    const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
    await createSession(otherAccount.admin, { ticket_number: 'T-1' })
    const { id: tree_id } = await createFlow(account.admin)
    for (let n = 0; n < 7; n++) await createSession(account.admin, { tree_id, ticket_number: 'T-1' })
    await service.sql('update sessions set created_at = $2 where account_id = $1', [account.id, day(1)])
    for (const query of ['', '&ticket_number=t-1']) {
      const ids: string[] = []
      for (let skip = 0; skip < 9; skip += 3) {
        const { body, headers } = await account.admin.call('GET', `/sessions?skip=${skip}&limit=3${query}`)
        ids.push(...body.map(({ id }: { id: string }) => id))
        expect(headers.get('link') !== null).toBe(skip + 3 < 7)
      }
      expect([ids.length, new Set(ids).size]).toEqual([7, 7])
    }
  })
})
