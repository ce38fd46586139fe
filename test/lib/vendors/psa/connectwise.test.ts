import { describe, expect, it } from 'vitest'
import { type ClientText, forAccount, readTicketText } from '#rules/audience.ts'
import { createPsaRecorder, type PsaAnswer, psaBaseUrl, ticketSearch } from '#test/support/psa-recorder.ts'
import { createConnectWise } from '#vendors/psa/connectwise.ts'
import { PsaError, type PsaPort, type TicketSearch } from '#vendors/psa/psa.ts'

describe('ConnectWise', () => {
  function openConnectWise(answer: PsaAnswer = () => []) {
    const { calls, http } = createPsaRecorder(answer)
    const identity = { company_id: 'c', client_id: 'i' }
    return {
      calls,
      port: createConnectWise(
        {
          provider: 'connectwise',
          baseUrl: psaBaseUrl,
          identity,
          secrets: { public_key: 'p', private_key: 's' },
        },
        http,
      ),
    }
  }
  const fields = 'id,summary,board,status,priority,company,contact,owner,resources,closedFlag,_info'
  const page = (conditions: string) => ({
    ...{
      call: 'GET /service/tickets',
      conditions,
      orderBy: 'lastUpdated desc, id desc',
      fields,
      page: '1',
      pageSize: '2',
    },
  })

  it.each<[Partial<TicketSearch>, string]>([
    [{}, 'closedFlag=false'],
    [{ boardIds: ['1', '2'] }, 'closedFlag=false and board/id in (1,2)'],
    [
      { assignedTo: { id: '7', identifier: 'ada' } },
      'closedFlag=false and (owner/identifier="ada" or resources contains "ada")',
    ],
    [{ companyId: '21' }, 'closedFlag=false and company/id in (21)'],
    [{ unassigned: true }, 'closedFlag=false and (owner=null and resources=null)'],
    [{ words: ['vpn', 'down'] }, 'closedFlag=false and summary contains "vpn" and summary contains "down"'],
    [{ words: ['4711'] }, 'closedFlag=false and (id in (4711) or summary contains "4711")'],
    [{ words: ['4711', 'vpn'] }, 'closedFlag=false and summary contains "4711" and summary contains "vpn"'],
    [{ words: ['vpn'] }, 'closedFlag=false and summary contains "vpn"'],
  ])('searches tickets by %j', async (changes, conditions) => {
    const { calls, port } = openConnectWise()
    expect(await port.searchTickets({ ...ticketSearch, ...changes })).toEqual({ items: [], hasMore: false })
    expect(calls).toEqual([page(conditions)])
  })

  it.each([
    [[{ id: 9 }], true],
    [[], false],
  ])('looks for one ticket behind a full page: %j', async (next, hasMore) => {
    const { calls, port } = openConnectWise(({ fields: names }) =>
      names === 'id' ? next : [{ id: 1 }, { id: 2 }],
    )
    const result = await port.searchTickets({ ...ticketSearch, page: 3 })
    expect([result.items.map(({ id }) => id), result.hasMore]).toEqual([['1', '2'], hasMore])
    expect(calls[1]).toMatchObject({ fields: 'id', page: '7', pageSize: '1' })
  })

  it('PSA-44 reads and writes the tickets of projects', async () => {
    const { calls, port } = openConnectWise(({ call }) => {
      if (call.includes(' /service/tickets/')) throw new PsaError('missing', 'none', { status: 404 })
      return call.endsWith('otes') && call.startsWith('GET')
        ? []
        : call.endsWith('configurations')
          ? []
          : { id: 7, summary: 's' }
    })
    expect((await port.getTicketContext('7')).ticket).toMatchObject({ id: '7', summary: 's' })
    expect(calls.map(({ call }) => call)).toEqual([
      ...['GET /service/tickets/7', 'GET /project/tickets/7'],
      ...['GET /project/tickets/7/configurations', 'GET /project/tickets/7/allNotes'],
    ])
  })
  it.each<[string, (port: PsaPort) => Promise<unknown>]>([
    ['POST /project/tickets/7/notes', (port) => port.addNote('7', readTicketText('internal', 'a'))],
    [
      'GET /project/tickets/7/notes',
      (port) => port.findNote('7', { text: 'a', since: '2026-01-01T00:00:00.000Z' }),
    ],
    ['PATCH /project/tickets/7', (port) => port.updateTicket('7', { statusId: '1' })],
  ])('PSA-44 falls back to %s', async (expected, act) => {
    const { calls, port } = openConnectWise(({ call }) => {
      if (call.includes(' /service/tickets/')) throw new PsaError('missing', 'none', { status: 404 })
      return call.startsWith('GET') ? [] : { id: 7 }
    })
    await act(port)
    expect(calls.map(({ call }) => call)).toEqual([expected.replace('project', 'service'), expected])
  })

  it('PSA-44 takes a ticket as missing when the member may not read projects', async () => {
    const { port } = openConnectWise(({ call }) => {
      throw call.includes(' /service/')
        ? new PsaError('missing', 'none', { status: 404 })
        : new PsaError('forbidden', 'no', { status: 403 })
    })
    await expect(port.getTicket('7')).rejects.toMatchObject({ kind: 'missing' })
  })

  it('reads pages of 1,000 until one is not full, at most five', async () => {
    const full = Array.from({ length: 1000 }, (_, n) => ({ id: n + 1, name: 'b' }))
    const all = openConnectWise(() => full)
    expect(await all.port.listBoards()).toHaveLength(5000)
    expect(all.calls.map((call) => call.page)).toEqual(['1', '2', '3', '4', '5'])
    const two = openConnectWise((call) => (call.page === '1' ? full : full.slice(1)))
    expect(await two.port.listBoards()).toHaveLength(1999)
    expect(two.calls[0]).toMatchObject({
      conditions: 'inactiveFlag=false',
      fields: 'id,name',
      orderBy: 'name asc',
      pageSize: '1000',
    })
  })

  it('lists the members that are active and complete', async () => {
    const { port } = openConnectWise(() => [
      {
        id: 1,
        identifier: 'ada',
        firstName: 'Ada',
        lastName: 'Lovelace',
        officeEmail: 'ada@example.com',
        inactiveFlag: false,
      },
      { id: 2, identifier: 'bo' },
      { id: 3, identifier: 'cy', inactiveFlag: true },
      { id: 4 },
      { identifier: 'dee' },
    ])
    expect(await port.listMembers()).toEqual([
      { id: '1', identifier: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' },
      { id: '2', identifier: 'bo', name: 'bo', email: null },
    ])
  })

  it('searches companies by every word', async () => {
    const { calls, port } = openConnectWise(() => [{ id: 1, name: 'Contoso' }, { id: 2 }, { name: 'none' }])
    expect(await port.searchCompanies(['con', 'toso'])).toEqual([
      { id: '1', name: 'Contoso' },
      { id: '2', name: 'Company 2' },
    ])
    expect(calls).toEqual([
      {
        ...{ call: 'GET /company/companies', fields: 'id,name', orderBy: 'name asc', pageSize: '25' },
        conditions: 'deletedFlag=false and name contains "con" and name contains "toso"',
      },
    ])
  })

  describe('a context', () => {
    const ticket = {
      id: 7,
      summary: 's',
      company: { id: 21, name: 'Contoso' },
      contact: { id: 31 },
      closedFlag: true,
    }
    const answers: Record<string, unknown> = {
      'GET /service/tickets/7': ticket,
      'GET /company/companies/21': {
        id: 21,
        phoneNumber: '1',
        addressLine1: 'a',
        city: 'b',
        state: 'c',
        zip: 'd',
      },
      'GET /company/contacts/31': {
        ...{ id: 31, firstName: 'Bo', lastName: null, title: 't' },
        communicationItems: [
          { communicationType: 'Email', value: 'first@example.com' },
          { communicationType: 'Email', value: 'default@example.com', defaultFlag: true },
          { communicationType: 'Phone', value: '2' },
          { communicationType: 'Phone', value: '3' },
        ],
      },
      'GET /service/tickets/7/configurations': Array.from({ length: 11 }, (_, n) => ({
        id: n + 1,
        deviceIdentifier: n === 0 ? null : `d${n}`,
      })),
      'GET /service/tickets/7/allNotes': Array.from({ length: 51 }, (_, n) => ({
        id: n + 1,
        text: `n${n + 1}`,
      })),
      'GET /service/tickets': [{ id: 8 }],
    }
    const answer: PsaAnswer = ({ call }) =>
      answers[call] ?? {
        id: 1,
        ...(call.endsWith('/3') ? { name: 'PC', osType: 'Windows', osInfo: null } : {}),
      }

    it('has the ticket, its company, its contact, ten devices, 50 notes and related tickets', async () => {
      const { calls, port } = openConnectWise(answer)
      const context = await port.getTicketContext('7')
      expect(context).toMatchObject({
        ticket: { id: '7', company_id: '21', contact_id: '31', is_closed: true },
        company: { id: '21', name: 'Company 21', phone: '1', address: 'a, b, c, d', website: null },
        contact: { id: '31', name: 'Bo', title: 't', email: 'default@example.com', phone: '2' },
        related_tickets: [{ id: '8' }],
        unavailable: [],
      })
      expect(context.configurations.map(({ name }) => name).slice(0, 4)).toEqual([
        'Configuration 1',
        'd1',
        'PC',
        'd3',
      ])
      expect([context.configurations.length, context.configurations[2]?.operating_system]).toEqual([
        10,
        'Windows',
      ])
      expect([context.notes.length, context.notes[0]?.id, context.notes.at(-1)?.id]).toEqual([50, '51', '2'])
      expect(calls.find(({ call }) => call === 'GET /service/tickets')).toMatchObject({
        ...{
          conditions: 'company/id in (21) and id not in (7)',
          orderBy: 'lastUpdated desc, id desc',
          fields,
          pageSize: '10',
        },
      })
    })
    it('of a ticket without company and contact reads neither', async () => {
      const { calls, port } = openConnectWise(({ call }) =>
        call === 'GET /service/tickets/7' ? { id: 7 } : [],
      )
      expect(await port.getTicketContext('7')).toMatchObject({
        company: null,
        contact: null,
        related_tickets: [],
        unavailable: [],
      })
      expect(calls.map(({ call }) => call)).toEqual([
        'GET /service/tickets/7',
        'GET /service/tickets/7/configurations',
        'GET /service/tickets/7/allNotes',
      ])
    })
    it('names the parts that fail, and reads the notes of an old server', async () => {
      const { port } = openConnectWise((call) => {
        if (call.call.endsWith('/allNotes')) throw new PsaError('missing', 'm')
        if (call.call.endsWith('/notes')) return [{ id: 5, text: 'old' }]
        if (/configurations|contacts/.test(call.call)) throw new PsaError('down', 'd')
        return answer(call)
      })
      const { notes, contact, configurations, unavailable } = await port.getTicketContext('7')
      expect([notes.map(({ text: body }) => body), contact, configurations, unavailable]).toEqual([
        ['old'],
        null,
        [],
        ['contact', 'configurations'],
      ])
    })
    it.each([
      [new PsaError('down', 'd'), ['notes']],
      [new TypeError('a mistake'), 'a mistake'],
    ])('reads no other list of notes after %s', async (error, expected) => {
      const { calls, port } = openConnectWise((call) => {
        if (call.call.endsWith('/allNotes')) throw error
        return answer(call)
      })
      const outcome = await port.getTicketContext('7').then(
        ({ unavailable }) => unavailable,
        (thrown: Error) => thrown.message,
      )
      expect(outcome).toEqual(expected)
      expect(calls.map(({ call }) => call)).not.toContain('GET /service/tickets/7/notes')
    })
  })

  it.each([
    [
      'internal',
      {
        detailDescriptionFlag: false,
        internalAnalysisFlag: true,
        resolutionFlag: false,
        internalFlag: true,
        externalFlag: false,
      },
    ],
    [
      'client',
      {
        detailDescriptionFlag: true,
        internalAnalysisFlag: false,
        resolutionFlag: false,
        internalFlag: false,
        externalFlag: true,
      },
    ],
    [
      'resolution',
      {
        detailDescriptionFlag: false,
        internalAnalysisFlag: false,
        resolutionFlag: true,
        internalFlag: false,
        externalFlag: true,
      },
    ],
  ] as const)('adds a note that is %s', async (visibility, flags) => {
    const { calls, port } = openConnectWise(() => ({ id: 9 }))
    expect(await port.addNote('7', readTicketText(visibility, 't'))).toBe('9')
    expect(calls).toEqual([
      { call: 'POST /service/tickets/7/notes', body: { text: 't', ...flags, processNotifications: false } },
    ])
  })

  it('PSA-58 has a note mailed', async () => {
    const { calls, port } = openConnectWise(() => ({ id: 9 }))
    await port.addNote('7', readTicketText('client', 't'), 'maya@contoso.example')
    expect(calls).toMatchObject([{ body: { processNotifications: true, externalFlag: true } }])
  })

  it.each([
    [{}, {}, { recipient: null, refusal: 'no_contact' }],
    [{ contact: { id: 3 } }, {}, { recipient: null, refusal: 'no_address' }],
    [{ contact: { id: 3 } }, { value: 'ada@x.example' }, { recipient: null, refusal: 'mail_off' }],
    [
      { contact: { id: 3 }, automaticEmailContactFlag: true },
      { value: 'ada@x.example' },
      { recipient: { name: 'Ada', address: 'ada@x.example' } },
    ],
    [
      { contact: { id: 3 }, contactEmailAddress: 'front@x.example', automaticEmailContactFlag: true },
      { value: 'ada@x.example' },
      { recipient: { name: 'Ada', address: 'front@x.example' } },
    ],
  ])('PSA-60 mails the contact of the ticket %j', async (ticket, item, expected) => {
    const contact = { id: 3, firstName: 'Ada', communicationItems: [{ communicationType: 'Email', ...item }] }
    const { port } = openConnectWise(({ call }) =>
      call.includes('contacts') ? contact : { id: 7, ...ticket },
    )
    expect(await port.findRecipient('7')).toMatchObject(expected)
  })

  it('changes the board before the status, and removes the owner with null', async () => {
    const { calls, port } = openConnectWise(() => ({ id: 7 }))
    await port.updateTicket('7', { statusId: '2', boardId: '1', memberId: null })
    await port.updateTicket('7', { memberId: '3' })
    const replace = (path: string, id: number | null) => ({
      op: 'replace',
      path,
      value: id === null ? null : { id },
    })
    expect(calls.map(({ call, body }) => [call, body])).toEqual([
      ['PATCH /service/tickets/7', [replace('board', 1), replace('status', 2), replace('owner', null)]],
      ['PATCH /service/tickets/7', [replace('owner', 3)]],
    ])
  })

  it('creates a ticket whose summary has at most 100 characters', async () => {
    const { calls, port } = openConnectWise(() => ({ id: 9 }))
    const text = (value: string) => value as ClientText
    const ticket = {
      summary: text('😀'.repeat(101)),
      description: text('d'),
      companyId: '21',
      contactId: null,
      boardId: null,
      reference: 'r',
    }
    expect(await port.createTicket(ticket)).toBe('9')
    await port.createTicket({ ...ticket, summary: text('s'), contactId: '31', boardId: '1' })
    const body = {
      summary: '😀'.repeat(100),
      initialDescription: 'd',
      company: { id: 21 },
      externalXRef: 'r',
    }
    expect(calls.map((call) => call.body)).toEqual([
      body,
      { ...body, summary: 's', contact: { id: 31 }, board: { id: 1 } },
    ])
  })

  it('finds the ticket with exactly the reference', async () => {
    const { calls, port } = openConnectWise(() => [
      { id: 1, externalXRef: 'R' },
      { id: 2, externalXRef: 'r' },
    ])
    expect([await port.findTicket('r'), await port.findTicket('x')]).toEqual(['2', null])
    expect(calls[0]).toEqual({
      call: 'GET /service/tickets',
      conditions: 'externalXRef="r"',
      fields: 'id,externalXRef',
      orderBy: 'id asc',
      pageSize: '5',
    })
  })

  it('adds a time entry in hours of two decimals, without e-mails', async () => {
    const { calls, port } = openConnectWise(() => ({ id: 9 }))
    const entry = {
      ticketId: '7',
      memberId: '3',
      startedAt: '2026-11-23T09:00:00.123Z',
      minutes: 50,
      note: { visibility: 'internal', text: forAccount('t') },
      reference: 'r',
    } as const
    expect(await port.addTimeEntry(entry)).toBe('9')
    expect(calls).toEqual([
      { call: 'GET /service/tickets/7', fields: 'id' },
      {
        call: 'POST /time/entries',
        body: {
          ...{
            chargeToId: 7,
            chargeToType: 'ServiceTicket',
            member: { id: 3 },
            timeStart: '2026-11-23T09:00:00Z',
            actualHours: 0.83,
          },
          ...{
            notes: 't',
            internalNotes: 'Reference r',
            addToDetailDescriptionFlag: false,
            addToInternalAnalysisFlag: true,
          },
          ...{
            addToResolutionFlag: false,
            emailResourceFlag: false,
            emailContactFlag: false,
            emailCcFlag: false,
          },
        },
      },
    ])
  })

  it('finds the time entry with the reference in its internal notes', async () => {
    const { calls, port } = openConnectWise(() => [
      { id: 1 },
      { id: 2, internalNotes: 'Reference r', status: 'Open', invoice: null },
      { id: 3, internalNotes: 'Reference s', status: 'BilledAgreement' },
      { id: 4, internalNotes: 'Reference t', invoice: { id: 71 } },
    ])
    const found = await Promise.all(
      ['r', 's', 't', 'x'].map((r) => port.findTimeEntry('7', `Reference ${r}`)),
    )
    expect(found).toEqual([
      { id: '2', isBilled: false },
      { id: '3', isBilled: true },
      { id: '4', isBilled: true },
      null,
    ])
    expect(calls[0]).toMatchObject({
      conditions: 'chargeToId in (7) and (chargeToType="ServiceTicket" or chargeToType="ProjectTicket")',
      fields: 'id,internalNotes,status,invoice',
      orderBy: 'id desc',
    })
  })
})
