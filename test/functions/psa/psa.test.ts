import { afterAll, describe, expect, it } from 'vitest'
import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectPsa, psaProviders, wrongCredentials } from '#test/support/psa.ts'

const service = await startOwnService()
const { listRecords, clearRecords, setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())

const psaData = buildPsaData()
const openTickets = psaData.tickets.filter(({ closed }) => !closed)
const psaPath = '/integrations/psa'
const getContext = (person: Person, id: number | string) =>
  person.call('GET', `${psaPath}/tickets/${id}/context`)
/** A ticket with a contact, devices, notes and a company that is not restricted. */
const fullTicket = psaData.tickets.find(
  ({ contactId, configurationIds, notes, companyId }) =>
    contactId &&
    configurationIds.length > 1 &&
    notes.length > 2 &&
    !psaData.companies.find(({ id }) => id === companyId)?.restricted,
) as (typeof psaData.tickets)[number]

it('PSA-06 PSA-11 returns 409 for reads without an active connection', async () => {
  const { admin } = await createAccount(service)
  const expectNotConnected = async () => {
    for (const path of ['/boards', '/tickets', '/tickets/4711/context', '/members']) {
      const { status, body } = await admin.call('GET', psaPath + path)
      expect([path, status, body.code]).toEqual([path, 409, 'psa_not_connected'])
    }
  }
  await expectNotConnected()
  await connectPsa(service, admin)
  await admin.client.psa.tickets.listBoards()
  expect((await admin.client.psa.connection.put({ is_active: false })).is_active).toBe(false)
  await expectNotConnected()
})

describe.each(psaProviders)('%s', (provider) => {
  async function createConnectedAccount() {
    const account = await createAccount(service)
    await connectPsa(service, account.admin, provider)
    return account
  }

  it('PSA-01 caches the boards for an hour', async () => {
    const { admin } = await createConnectedAccount()
    const first = await admin.client.psa.tickets.listBoards()
    expect(first.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Alerts',
      'Projects',
      'Service Desk',
    ])
    await clearRecords('psa')
    await advanceClock(3590)
    expect(await admin.client.psa.tickets.listBoards()).toEqual(first)
    expect(await listRecords('psa')).toEqual([])
    await advanceClock(11)
    expect(await admin.client.psa.tickets.listBoards()).toEqual(first)
    expect((await listRecords('psa')).length).toBeGreaterThan(0)
  })

  it('PSA-02 PSA-18 returns a ticket with company, contact, configurations, all notes newest first and related tickets', async () => {
    const { admin } = await createConnectedAccount()
    const { status, body } = await getContext(admin, fullTicket.id)
    expect([status, body.unavailable]).toEqual([200, []])
    const company = psaData.companies.find(({ id }) => id === fullTicket.companyId)
    const contact = psaData.contacts.find(({ id }) => id === fullTicket.contactId)
    expect(body.ticket).toMatchObject({
      id: String(fullTicket.id),
      summary: fullTicket.summary,
      description: fullTicket.description,
      is_closed: fullTicket.closed,
    })
    expect(body.ticket.status).toBe(psaData.statuses.find(({ id }) => id === fullTicket.statusId)?.name)
    expect(body.company).toMatchObject({
      name: company?.name,
      phone: company?.phone,
      address: `${company?.street}, ${company?.city}, ${company?.zip}`,
    })
    expect(body.contact).toMatchObject({ name: contact?.name, email: contact?.email, phone: contact?.phone })
    const devices = psaData.configurations.filter(({ id }) => fullTicket.configurationIds.includes(id))
    expect(body.configurations.map(({ serial_number }: { serial_number: string }) => serial_number)).toEqual(
      devices.map(({ serial }) => serial),
    )
    expect(body.notes.map(({ text }: { text: string }) => text)).toEqual(
      fullTicket.notes.map(({ text }) => text).toReversed(),
    )
    expect(body.notes[0]).toMatchObject({
      author: fullTicket.notes.at(-1)?.author,
      internal: fullTicket.notes.at(-1)?.internal,
    })
    expect(body.related_tickets).toHaveLength(10)
    expect(new Set(body.related_tickets.map((ticket: { company: string }) => ticket.company))).toEqual(
      new Set([company?.name]),
    )
    expect(body.related_tickets.map(({ id }: { id: string }) => id)).not.toContain(String(fullTicket.id))
  })

  it('PSA-45 shows what technicians decide by: agreement, severity, impact, site, team, categories, people and custom fields', async () => {
    const { admin } = await createConnectedAccount()
    const ticket = psaData.tickets.find(
      ({ id, memberId, details }) =>
        memberId !== null && details.otherMemberIds.length > 0 && details.requiredBy !== null && id % 2 === 0,
    )
    if (!ticket) throw new Error('No ticket has all details')
    const { details, memberId } = ticket
    const { body } = await getContext(admin, ticket.id)
    expect(body.ticket).toMatchObject({
      ...{
        sub_type: details.subType,
        item: details.item,
        sla: details.sla,
        is_in_sla: details.isInSla,
        site: details.site,
      },
      required_by:
        provider === 'connectwise' ? details.requiredBy?.replace(/\.\d+Z$/, '.000Z') : details.requiredBy,
      custom_fields: [
        { name: 'Building', value: details.customFields[0]?.value },
        { name: 'Approved', value: 'Yes' },
      ],
    })
    const people = psaData.members.filter(({ id }) => id === memberId || details.otherMemberIds.includes(id))
    expect(body.ticket.resources.toSorted()).toEqual(
      people.map(({ identifier, name }) => (provider === 'connectwise' ? identifier : name)).toSorted(),
    )
    if (provider === 'connectwise') {
      expect(body.ticket).toMatchObject({
        severity: ['High', 'Medium', 'Low'][details.severity - 1],
        team: details.team,
        resolve_by: null,
      })
      expect(body.ticket.sla_status).toMatch(/^Resolve by /)
    } else
      expect(body.ticket).toMatchObject({
        severity: String(details.severity),
        resolve_by: details.resolveBy,
        sla_status: null,
      })
  })

  it('returns null for an unavailable part, lists its name in `unavailable`, and requests the part again the next time', async () => {
    const { admin } = await createConnectedAccount()
    const restrictedId = psaData.companies.find(({ restricted }) => restricted)?.id
    const ticket = psaData.tickets.find(({ companyId }) => companyId === restrictedId)
    const { status, body } = await getContext(admin, ticket?.id ?? '')
    expect([status, body.company, body.unavailable, body.ticket.company]).toEqual([
      200,
      null,
      ['company'],
      'Harbor Legal',
    ])
    await clearRecords('psa')
    await getContext(admin, ticket?.id ?? '')
    expect((await listRecords('psa')).length).toBeGreaterThan(0)
  })

  it('returns no contact and no unavailable part for a ticket without a contact', async () => {
    const { admin } = await createConnectedAccount()
    const unrestrictedIds = psaData.companies.filter(({ restricted }) => !restricted).map(({ id }) => id)
    const ticket = psaData.tickets.find(
      ({ contactId, companyId }) => contactId === null && unrestrictedIds.includes(companyId),
    )
    expect((await getContext(admin, ticket?.id ?? '')).body).toMatchObject({
      contact: null,
      unavailable: [],
      ticket: { contact_id: null },
    })
  })

  it('PSA-03 returns 404 for an unknown ticket', async () => {
    const { admin } = await createConnectedAccount()
    expect([(await getContext(admin, 99)).status, (await getContext(admin, 99)).body]).toEqual([
      404,
      { detail: 'Ticket not found' },
    ])
    for (const id of ['x', '4711x', '-1', '%2e%2e%2f', '9'.repeat(16), 'a%00b'])
      expectStatus(await getContext(admin, id), 404)
  })

  it('PSA-07 caches a ticket context for five minutes, separately for each account', async () => {
    const { admin } = await createConnectedAccount()
    const first = await getContext(admin, fullTicket.id)
    await clearRecords('psa')
    await advanceClock(290)
    expect((await getContext(admin, fullTicket.id)).body).toEqual(first.body)
    expect(await listRecords('psa')).toEqual([])
    const otherAccount = await createConnectedAccount()
    expect((await getContext(otherAccount.admin, fullTicket.id)).body.fetched_at).not.toBe(
      first.body.fetched_at,
    )
    await advanceClock(11)
    expect((await getContext(admin, fullTicket.id)).body.fetched_at > first.body.fetched_at).toBe(true)
  })

  it('PSA-09 lists open tickets by board and unassigned ones, page by page', async () => {
    const { admin } = await createConnectedAccount()
    const search = async (query: string) => (await admin.call('GET', `${psaPath}/tickets?${query}`)).body
    const searchAllPages = async (query: string) => {
      const ids: string[] = []
      for (let page = 1, hasMore = true; hasMore; page++) {
        const { items, has_more } = await search(`${query}&page=${page}&page_size=50`)
        ids.push(...items.map(({ id }: { id: string }) => id))
        hasMore = has_more
      }
      return ids.sort()
    }
    const getSortedIds = (tickets: typeof openTickets) => tickets.map(({ id }) => String(id)).sort()
    expect(await searchAllPages('board_ids=1,3')).toEqual(
      getSortedIds(openTickets.filter(({ boardId }) => boardId !== 2)),
    )
    expect(await searchAllPages('unassigned=true')).toEqual(
      getSortedIds(openTickets.filter(({ memberId }) => memberId === null)),
    )
    expect(await searchAllPages('unassigned=true&board_ids=2')).toEqual(
      getSortedIds(openTickets.filter(({ memberId, boardId }) => memberId === null && boardId === 2)),
    )
    expect(await search(`page_size=100&page=9`)).toMatchObject({ items: [], page: 9, has_more: false })
    for (const query of [
      'page=0',
      'page_size=101',
      'board_ids=x',
      'board_ids=1)%20or%20(id=2',
      'unassigned=1',
      'assigned_to_me=true&unassigned=true',
    ])
      expect((await admin.call('GET', `${psaPath}/tickets?${query}`)).status, query).toBe(422)
  })

  it('PSA-09 lists the tickets assigned to me, even for a member identifier with quotes', async () => {
    const { admin } = await createConnectedAccount()
    const unmapped = await admin.call('GET', `${psaPath}/tickets?assigned_to_me=true`)
    expect([unmapped.status, unmapped.body.code]).toEqual([409, 'psa_member_not_mapped'])
    const quotedMember = psaData.members.find(({ identifier }) => identifier.includes('"'))
    await admin.client.psa.members.putMapping({ user_id: admin.id, psa_member_id: String(quotedMember?.id) })
    const body = await admin.client.psa.tickets.search({ assigned_to_me: true, page_size: 100 })
    const expected = openTickets
      .filter(({ memberId }) => memberId === quotedMember?.id)
      .map(({ id }) => String(id))
    expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual(expected.sort())
    expect(expected.length).toBeGreaterThan(3)
  })

  it('PSA-05 PSA-12 returns 502 psa_auth_failed for refused credentials, and fails the connection test', async () => {
    const reason = provider === 'halopsa' ? 'invalid_client' : 'Access is denied'
    const { admin } = await createConnectedAccount()
    await admin.client.psa.connection.put(wrongCredentials(provider))
    for (const path of ['/boards', '/tickets', `/tickets/${fullTicket.id}/context`, '/members']) {
      const { status, body } = await admin.call('GET', psaPath + path)
      expect([status, body]).toEqual([
        502,
        { detail: `The ticketing system refused the credentials: ${reason}`, code: 'psa_auth_failed' },
      ])
    }
    expect(await admin.client.psa.connection.test()).toEqual({
      success: false,
      message: `The ticketing system refused the credentials: ${reason}`,
      boards: [],
    })
    expect((await admin.client.psa.connection.get()).last_check_error).toBe(
      `The ticketing system refused the credentials: ${reason}`,
    )
  })

  it.each([
    ['down', 'psa_unavailable'],
    ['error', 'psa_unavailable'],
    ['garbage', 'psa_unavailable'],
    ['redirect', 'psa_unavailable'],
    ['rate_limit', 'psa_rate_limited'],
    ['client_error', 'psa_error'],
  ])('PSA-04 returns 502 while the provider has the fault %s, and recovers after it', async (mode, code) => {
    const { admin } = await createConnectedAccount()
    await admin.client.psa.members.list()
    await clearRecords('redirect')
    await setFault({ service: 'psa', mode })
    for (const path of ['/boards', '/tickets', `/tickets/${fullTicket.id}/context`]) {
      const { status, body } = await admin.call('GET', psaPath + path)
      expect([path, status, body.code]).toEqual([path, 502, code])
    }
    expect((await admin.client.psa.connection.test()).success).toBe(false)
    await admin.client.sessions.list()
    // The Worker must not follow the redirect.
    expect(await listRecords('redirect')).toEqual([])
    await clearFaults()
    expectStatus(await getContext(admin, fullTicket.id), 200)
  })

  it('PSA-04 waits less than ten seconds for a provider that hangs, and delays no other request', {
    ...night,
    retry: 2,
  }, async () => {
    const { admin } = await createConnectedAccount()
    await setFault({ service: 'psa', mode: 'hang' })
    const start = performance.now()
    const [timedOut, unaffected] = await Promise.all([
      getContext(admin, fullTicket.id),
      admin.call('GET', '/sessions'),
    ])
    expect([timedOut.status, timedOut.body.code, unaffected.status]).toEqual([502, 'psa_unavailable', 200])
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})

// This test is last, because the Worker bypasses a failed cache for five seconds.
it.each(psaProviders)('returns boards and tickets of %s while Redis returns garbage', async (provider) => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin, provider)
  await setFault({ service: 'redis', mode: 'garbage' })
  expect([
    (await admin.call('GET', `${psaPath}/boards`)).status,
    (await getContext(admin, fullTicket.id)).status,
  ]).toEqual([200, 200])
})
