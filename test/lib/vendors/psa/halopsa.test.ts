import { describe, expect, it } from 'vitest'
import { type ClientText, readTicketText } from '#rules/audience.ts'
import { createPsaRecorder, type PsaAnswer, psaBaseUrl, ticketSearch } from '#test/support/psa-recorder.ts'
import { createHaloPsa } from '#vendors/psa/halopsa.ts'
import { PsaError, type TicketSearch } from '#vendors/psa/psa.ts'

describe('HaloPSA', () => {
  let nextSecret = 0
  /** Open a connection with a secret of its own, because tokens are cached. */
  function openHalo(answer: PsaAnswer = () => [], tenant: string | null = null, secret = `s${nextSecret++}`) {
    const { calls, http } = createPsaRecorder(
      (call) =>
        answer(call) ?? (call.call === 'POST /auth/token' ? { access_token: 't', expires_in: 3600 } : []),
    )
    const port = createHaloPsa(
      {
        provider: 'halopsa',
        baseUrl: `${psaBaseUrl}//`,
        identity: { client_id: 'i', tenant },
        secrets: { client_secret: secret },
      },
      http,
    )
    return {
      calls,
      port,
      secret,
      listCalls: () => calls.map(({ call }) => call).filter((call) => call !== 'POST /auth/token'),
    }
  }
  const tickets = (list: object[], count = list.length) => ({ tickets: list, record_count: count })

  it('PSA-40 reads notes, and the details of a ticket without plain text, as HTML', async () => {
    const note_html =
      '<style>p{margin:0}</style><p>The printer&rsquo;s offline</p><table><tr><td>Host</td><td>SRV01</td></tr></table>'
    const text = 'The printer’s offline\nHost SRV01'
    const { port } = openHalo(({ call }) => {
      if (call === 'GET /api/Actions') return { actions: [{ id: 2, note: 'x', note_html }] }
      return call === 'GET /api/Tickets/7' ? { id: 7, details: '', details_html: note_html } : undefined
    })
    expect(await port.getTicketContext('7')).toMatchObject({
      ticket: { description: text },
      notes: [{ text }],
    })
  })

  it('PSA-43 adds notes and time with the outcomes of the connection', async () => {
    const identity = {
      client_id: 'i',
      tenant: null,
      private_note_outcome: 'Internal',
      public_note_outcome: 'To client',
    }
    const { calls, http } = createPsaRecorder(({ call }) =>
      call.endsWith('/token') ? { access_token: 't' } : { id: 2 },
    )
    const port = createHaloPsa(
      { provider: 'halopsa', baseUrl: psaBaseUrl, identity, secrets: { client_secret: 'o' } },
      http,
    )
    await port.addNote('7', readTicketText('internal', 'a'))
    await port.addNote('7', readTicketText('client', 'a'))
    const bodies = calls.flatMap(({ body }) => (body as { outcome: string }[] | undefined) ?? [])
    expect(bodies.map(({ outcome }) => outcome)).toEqual(['Internal', 'To client'])
  })

  it('PSA-40 finds its own notes and time entries when HaloPSA adds links', async () => {
    const written = 'See https://a.example/x and a@b.example, a <b> "c"\n\nReference sf-1'
    let note_html = ''
    const { port, calls } = openHalo(({ call }) =>
      /\/api\/Actions(\/2)?$/.test(call)
        ? { id: 2, actions: [{ id: 2, note_html, datetime: '2026-01-02T00:00:00' }] }
        : undefined,
    )
    await port.addNote('7', readTicketText('internal', written))
    const html = String((calls.at(-1)?.body as [{ note_html: string }] | undefined)?.[0].note_html)
    note_html = `<p>${html}</p>`
      .replace(/https:\S+/, '<a href="$&">$&</a>')
      .replace(/\S+@b.example/, '<a href="mailto:$&">$&</a>')
    expect(await port.findNote('7', { text: written, since: '2026-01-01T00:00:00.000Z' })).toBe('2')
    expect(await port.findTimeEntry('7', 'sf-1')).toMatchObject({ id: '2' })
  })

  it.each<[Partial<TicketSearch>, object]>([
    [{}, {}],
    [{ boardIds: ['1', '2'] }, { team: '1,2' }],
    [{ assignedTo: { id: '7', identifier: 'ada' } }, { agent_id: '7' }],
    [{ companyId: '21' }, { client_id: '21' }],
    [{ unassigned: true }, { agent_id: '1' }],
    [{ words: ['vpn', 'down'] }, { search: 'vpn down' }],
  ])('searches tickets by %j', async (changes, query) => {
    const { calls, port } = openHalo(({ call }) => (call === 'GET /api/Tickets' ? tickets([]) : undefined))
    expect(await port.searchTickets({ ...ticketSearch, ...changes })).toEqual({ items: [], hasMore: false })
    expect(calls.find(({ call }) => call === 'GET /api/Tickets')).toEqual({
      ...{ call: 'GET /api/Tickets', pageinate: 'true', page_no: '1', page_size: '2', open_only: 'true' },
      ...{ order: 'lastactiondate', orderdesc: 'true', ...query },
    })
  })

  it.each([
    [2, 4, false],
    [2, 5, true],
  ])('has more than page %i of %i tickets: %s', async (page, count, hasMore) => {
    const { port } = openHalo(({ call }) => (call === 'GET /api/Tickets' ? tickets([], count) : undefined))
    expect((await port.searchTickets({ ...ticketSearch, page })).hasMore).toBe(hasMore)
  })

  it('lists active teams and agents, without the agent of unassigned tickets', async () => {
    const { port } = openHalo(({ call }) => {
      if (call === 'GET /api/Team')
        return [{ id: 1, name: 'Desk' }, { id: 2 }, { id: 3, name: 'Old', inactive: true }]
      if (call === 'GET /api/Agent')
        return [
          { id: 1, name: 'Unassigned' },
          { id: 2, name: 'Ada', email: 'ada@example.com' },
          { id: 3, isdisabled: true },
          { id: 4, name: 'Bo' },
          { id: 5 },
        ]
      return undefined
    })
    expect(await port.listBoards()).toEqual([
      { id: '1', name: 'Desk' },
      { id: '2', name: 'Team 2' },
    ])
    expect(await port.listMembers()).toEqual([
      { id: '2', identifier: 'ada@example.com', name: 'Ada', email: 'ada@example.com' },
      { id: '4', identifier: 'Bo', name: 'Bo', email: null },
      { id: '5', identifier: '5', name: '5', email: null },
    ])
  })

  it.each([
    [[], undefined],
    [['con', 'toso'], 'con toso'],
  ])('searches clients by the words %j', async (words, searched) => {
    const { calls, port } = openHalo(({ call }) =>
      call === 'GET /api/Client' ? { clients: [{ id: 1 }, { id: 2, name: 'Contoso' }] } : undefined,
    )
    expect(await port.searchCompanies(words)).toEqual([
      { id: '1', name: 'Client 1' },
      { id: '2', name: 'Contoso' },
    ])
    const query = {
      call: 'GET /api/Client',
      pageinate: 'true',
      page_no: '1',
      page_size: '25',
      includeinactive: 'false',
      order: 'name',
    }
    expect(calls.at(-1)).toEqual(searched === undefined ? query : { ...query, search: searched })
  })

  it('gets one token for all calls, and another one when it is about to expire', async () => {
    const lasting = openHalo(
      ({ call }) => (call === 'POST /auth/token' ? { access_token: 't', expires_in: 61 } : undefined),
      'x&y',
    )
    await lasting.port.checkCredentials()
    await lasting.port.checkCredentials()
    expect(lasting.calls.map(({ call, ...query }) => [call, query])).toEqual([
      ['POST /auth/token', { tenant: 'x&y' }],
      ['GET /api/Team', {}],
      ['GET /api/Team', {}],
    ])
    const short = openHalo(({ call }) =>
      call === 'POST /auth/token' ? { access_token: 't', expires_in: 60 } : undefined,
    )
    await short.port.checkCredentials()
    await short.port.checkCredentials()
    expect(short.calls.map(({ call }) => call)).toEqual([
      'POST /auth/token',
      'GET /api/Team',
      'POST /auth/token',
      'GET /api/Team',
    ])
  })

  it.each([
    [new PsaError('auth', 'a', { status: 401 }), 4, 'a'],
    [new PsaError('auth', 'a', { status: 403 }), 1, 'a'],
    [new TypeError('a mistake'), 1, 'a mistake'],
  ])(
    'repeats a call with another token only after a 401 of a cached one: %s',
    async (error, expectedCalls, message) => {
      let fails = false
      const { calls, port } = openHalo(({ call }) => {
        if (fails && call === 'GET /api/Team') throw error
        return undefined
      })
      await port.checkCredentials()
      calls.length = 0
      fails = true
      await expect(port.checkCredentials()).rejects.toThrow(message)
      expect(calls.map(({ call }) => call)).toEqual(
        ['GET /api/Team', 'POST /auth/token', 'GET /api/Team'].slice(0, expectedCalls === 4 ? 3 : 1),
      )
    },
  )
  it('repeats no call after a 401 of a new token', async () => {
    const { port, listCalls } = openHalo(({ call }) => {
      if (call === 'GET /api/Team') throw new PsaError('auth', 'a', { status: 401 })
      return undefined
    })
    await expect(port.checkCredentials()).rejects.toThrow('a')
    expect(listCalls()).toEqual(['GET /api/Team'])
  })
  it.each([
    [
      new PsaError('invalid', 'i', { status: 400 }),
      { kind: 'auth', status: 400, message: 'The ticketing system refused the credentials' },
    ],
    [new PsaError('auth', 'a', { status: 401 }), { kind: 'auth', status: 401, message: 'a' }],
    [new PsaError('down', 'd', { status: 500 }), { kind: 'down', status: 500, message: 'd' }],
  ])('takes a 400 of the token for refused credentials: %s', async (error, expected) => {
    const { port } = openHalo(({ call }) => {
      if (call === 'POST /auth/token') throw error
      return undefined
    })
    await expect(port.checkCredentials()).rejects.toMatchObject(expected)
  })

  describe('a context', () => {
    const ticket = {
      id: 7,
      summary: 's',
      client_id: 21,
      user_id: 31,
      status_id: 2,
      agent_id: 5,
      agent_name: 'Ada',
      hasbeenclosed: true,
    }
    const answer: PsaAnswer = ({ call }) =>
      ({
        'GET /api/Tickets/7': ticket,
        'GET /api/Status': [{ id: 2, name: 'Open' }],
        'GET /api/Client/21': {
          id: 21,
          phonenumber: '1',
          main_site: { line1: 'a', line2: null, line3: 'c', postcode: 'd' },
        },
        'GET /api/Users/31': { id: 31, jobtitle: 't', emailaddress: 'bo@example.com' },
        'GET /api/Asset': {
          assets: [
            { id: 1, key_field: 'PC', inventory_number: 'x', os: 'Windows' },
            { id: 2, inventory_number: 'INV' },
            { id: 3 },
          ],
        },
        'GET /api/Actions': {
          actions: [
            { id: 1, note: 'old', datetime: '2026-01-01T00:00:00' },
            {
              id: 2,
              note_html: '<p>a &lt;b&gt;</p>c',
              hiddenfromuser: true,
              who: 'Ada',
              datetime: '2026-01-02T00:00:00',
            },
          ],
        },
        'GET /api/Tickets': tickets([
          { id: 7 },
          ...Array.from({ length: 11 }, (_, n) => ({ id: n + 10, status_id: n === 0 ? 2 : 9 })),
        ]),
      })[call]

    it('has the ticket, its client, its user, its assets, its actions and ten other tickets of the client', async () => {
      const { calls, port } = openHalo(answer)
      const context = await port.getTicketContext('7')
      expect(context).toMatchObject({
        ticket: {
          id: '7',
          status: 'Open',
          owner: 'Ada',
          company_id: '21',
          contact_id: '31',
          is_closed: true,
        },
        company: { id: '21', name: 'Client 21', phone: '1', address: 'a, c, d' },
        contact: { id: '31', name: 'User 31', title: 't', email: 'bo@example.com', phone: null },
        notes: [
          {
            id: '2',
            text: 'a <b>\nc',
            author: 'Ada',
            internal: true,
            created_at: '2026-01-02T00:00:00.000Z',
          },
          { id: '1', text: 'old', author: null, internal: false, created_at: '2026-01-01T00:00:00.000Z' },
        ],
        unavailable: [],
      })
      expect(context.configurations.map(({ name }) => name)).toEqual(['PC', 'INV', 'Asset 3'])
      expect(context.related_tickets.map(({ id, status }) => `${id} ${status}`)).toEqual([
        '10 Open',
        ...Array.from({ length: 9 }, (_, n) => `${n + 11} null`),
      ])
      const query = (name: string) => calls.find(({ call }) => call === `GET /api/${name}`)
      expect(query('Tickets')).toMatchObject({
        client_id: '21',
        pageinate: 'true',
        page_no: '1',
        page_size: '11',
        order: 'lastactiondate',
        orderdesc: 'true',
      })
      expect(query('Actions')).toMatchObject({ ticket_id: '7', excludesys: 'true', count: '50' })
      expect(query('Asset')).toMatchObject({
        ticket_id: '7',
        pageinate: 'true',
        page_no: '1',
        page_size: '10',
      })
      expect([query('Client/21'), query('Users/31'), query('Tickets/7')]).toMatchObject(
        Array(3).fill({ includedetails: 'true' }),
      )
    })
    it('of a ticket whose client and user are 0 reads neither', async () => {
      const { port, listCalls } = openHalo((call) =>
        call.call === 'GET /api/Tickets/7' ? { ...ticket, client_id: 0, user_id: 0 } : answer(call),
      )
      expect(await port.getTicketContext('7')).toMatchObject({
        company: null,
        contact: null,
        related_tickets: [],
      })
      expect(listCalls().sort()).toEqual([
        'GET /api/Actions',
        'GET /api/Asset',
        'GET /api/Status',
        'GET /api/Tickets/7',
      ])
    })
    it.each([
      [new PsaError('down', 'd'), { status: null }],
      [new TypeError('a mistake'), 'a mistake'],
    ])('has no status name when the statuses fail with %s', async (error, expected) => {
      const { port } = openHalo((call) => {
        if (call.call === 'GET /api/Status') throw error
        return answer(call)
      })
      const outcome = await port.getTicket('7').catch((thrown: Error) => thrown.message)
      expect(outcome).toEqual(typeof expected === 'string' ? expected : expect.objectContaining(expected))
    })
  })

  it.each([
    ['internal', 'Private Note', 'a &lt;b&gt;<br>c', true],
    ['client', 'Public Note', 'a &lt;b&gt;<br>c', false],
    ['resolution', 'Public Note', 'Resolution:<br>a &lt;b&gt;<br>c', false],
  ] as const)('adds a note that is %s', async (visibility, outcome, note_html, hiddenfromuser) => {
    const { calls, port } = openHalo(({ call }) => (call === 'POST /api/Actions' ? [{ id: 9 }] : undefined))
    expect(await port.addNote('7', readTicketText(visibility, 'a <b>\nc'))).toBe('9')
    expect(calls.at(-1)?.body).toEqual([
      { ticket_id: 7, outcome, note_html, hiddenfromuser, sendemail: false },
    ])
  })

  it('PSA-58 has a note mailed to an address', async () => {
    const { calls, port } = openHalo(({ call }) => (call === 'POST /api/Actions' ? [{ id: 9 }] : undefined))
    await port.addNote('7', readTicketText('client', 'a'), 'maya@contoso.example')
    expect(calls.at(-1)?.body).toMatchObject([
      { hiddenfromuser: false, sendemail: true, emailto: 'maya@contoso.example' },
    ])
  })

  it.each([
    [0, {}, { recipient: null, refusal: 'no_contact' }],
    [3, {}, { recipient: null, refusal: 'no_address' }],
    [3, { emailaddress: 'ada@x.example', neversendemails: true }, { recipient: null, refusal: 'mail_off' }],
    [3, { emailaddress: 'ada@x.example' }, { recipient: { name: 'Ada', address: 'ada@x.example' } }],
  ])('PSA-60 mails the user %i with %j', async (user_id, user, expected) => {
    const { port } = openHalo(({ call }) => {
      if (call === 'GET /api/Tickets/7') return { id: 7, user_id }
      return call === 'GET /api/Users/3' ? { id: 3, name: 'Ada', ...user } : undefined
    })
    expect(await port.findRecipient('7')).toMatchObject(expected)
  })

  it.each([
    [{ statusId: '2' }, { status_id: 2 }],
    [{ boardId: '3' }, { team_id: 3 }],
    [{ memberId: '4' }, { agent_id: 4 }],
    [{ memberId: null }, { agent_id: 1 }],
    [{}, {}],
  ])('changes a ticket by %j, after it was read', async (change, body) => {
    const { calls, port, listCalls } = openHalo(({ call }) => (/Tickets/.test(call) ? { id: 7 } : undefined))
    expect(await port.updateTicket('7', change)).toMatchObject({ id: '7' })
    expect(calls.find(({ call }) => call === 'POST /api/Tickets')?.body).toEqual([{ id: 7, ...body }])
    expect(listCalls().filter((call) => call !== 'GET /api/Status')).toEqual([
      'GET /api/Tickets/7',
      'POST /api/Tickets',
      'GET /api/Tickets/7',
    ])
  })

  it('creates a ticket, with its user and its team if they are known', async () => {
    const { calls, port } = openHalo(({ call }) => (call === 'POST /api/Tickets' ? { id: 9 } : undefined))
    const text = (value: string) => value as ClientText
    const ticket = {
      summary: text('s'),
      description: text('a\nb'),
      companyId: '21',
      contactId: null,
      boardId: null,
      reference: 'r',
    }
    expect(await port.createTicket(ticket)).toBe('9')
    await port.createTicket({ ...ticket, contactId: '31', boardId: '1' })
    const body = { summary: 's', details_html: 'a<br>b', client_id: 21, third_party_id_string: 'r' }
    expect(calls.flatMap((call) => (call.call === 'POST /api/Tickets' ? [call.body] : []))).toEqual([
      [body],
      [{ ...body, user_id: 31, team_id: 1 }],
    ])
  })

  it('finds the ticket and the time entry with the reference', async () => {
    const { calls, port } = openHalo(({ call }) =>
      call === 'GET /api/Tickets'
        ? tickets([
            { id: 1, third_party_id_string: 'R' },
            { id: 2, third_party_id_string: 'r' },
          ])
        : call === 'GET /api/Actions'
          ? {
              actions: [
                { id: 3, note: 'x' },
                { id: 4, note: 'done, Reference r' },
                { id: 5, note: 'done, Reference s' },
              ],
            }
          : call === 'GET /api/Actions/4'
            ? { id: 4, actioninvoicenumber: 'INV-0071' }
            : call === 'GET /api/Actions/5'
              ? { id: 5, actioninvoicenumber: '-1' }
              : undefined,
    )
    expect([
      await port.findTicket('r'),
      await port.findTicket('x'),
      await port.findTimeEntry('7', 'Reference r'),
      await port.findTimeEntry('7', 'Reference s'),
      await port.findTimeEntry('7', 'y'),
    ]).toEqual(['2', null, { id: '4', isBilled: true }, { id: '5', isBilled: false }, null])
    expect(calls.find(({ call }) => call === 'GET /api/Tickets')).toMatchObject({
      third_party_id_string: 'r',
      count: '50',
    })
    expect(calls.find(({ call }) => call === 'GET /api/Actions')).toMatchObject({
      ticket_id: '7',
      excludesys: 'true',
      count: '1000',
    })
    expect(calls.find(({ call }) => call === 'GET /api/Actions/4')).toMatchObject({ ticket_id: '7' })
  })

  it.each([
    [{ actioninvoicenumber: 'INV-0071' }, true],
    [{ actioninvoicenumber: '71' }, true],
    [{ actioninvoicenumber: 71 }, true],
    [{ action_invoice_line_id: 5 }, true],
    [{ actioninvoicenumber: '', action_invoice_line_id: 0 }, false],
    [{ actioninvoicenumber: '0' }, false],
    [{ actioninvoicenumber: '-1' }, false],
    [{ actioninvoicenumber: null }, false],
    [{}, false],
  ])('PSA-68 tells whether an action with %j is billed', async (details, isBilled) => {
    const { port } = openHalo(({ call }) =>
      call === 'GET /api/Actions'
        ? { actions: [{ id: 4, note: 'Reference r' }] }
        : call === 'GET /api/Actions/4'
          ? { id: 4, note: 'Reference r', ...details }
          : undefined,
    )
    expect(await port.findTimeEntry('7', 'Reference r')).toEqual({ id: '4', isBilled })
  })

  it('adds a time entry in hours, with its end and its reference', async () => {
    const { calls, port } = openHalo(({ call }) => (call === 'POST /api/Actions' ? [{ id: 9 }] : undefined))
    const entry = {
      ticketId: '7',
      memberId: '3',
      startedAt: '2026-11-23T09:00:00.000Z',
      minutes: 90,
      note: readTicketText('client', 't'),
      reference: 'r',
    } as const
    expect(await port.addTimeEntry(entry)).toBe('9')
    expect(calls.at(-1)?.body).toEqual([
      {
        ...{
          ticket_id: 7,
          outcome: 'Public Note',
          note_html: 't<br><br>Reference r',
          hiddenfromuser: false,
          sendemail: false,
        },
        ...{
          who_agentid: 3,
          timetaken: 1.5,
          actionarrivaldate: '2026-11-23T09:00:00.000Z',
          actioncompletiondate: '2026-11-23T10:30:00.000Z',
        },
      },
    ])
  })
})
