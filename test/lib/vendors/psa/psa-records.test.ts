import { describe, expect, it } from 'vitest'
import { text, time } from '#vendors/net/wire.ts'
import * as connectWiseRecords from '#vendors/psa/connectwise-wire.ts'
import { NoteWire } from '#vendors/psa/connectwise-wire.ts'
import * as haloRecords from '#vendors/psa/halopsa-wire.ts'
import { findSameNote, sortNewestFirst } from '#vendors/psa/wire.ts'

const noDetails = {
  ...{
    sub_type: null,
    item: null,
    sla: null,
    is_in_sla: null,
    sla_status: null,
    resolve_by: null,
    required_by: null,
    severity: null,
  },
  ...{ impact: null, site: null, team: null, resources: [], custom_fields: [] },
}

describe('a record of ConnectWise', () => {
  it.each([
    [
      { id: 1, noteType: 'TimeEntry', text: 't', member: { name: 'Ada' }, internalAnalysisFlag: true },
      ['time-1', 't', 'Ada', true, null],
    ],
    [
      { id: 1, member: { firstName: 'Ada', lastName: 'L' }, internalFlag: true },
      ['1', '', 'Ada L', true, null],
    ],
    [{ id: 1, member: { identifier: 'ada' }, createdBy: 'x' }, ['1', '', 'ada', false, null]],
    [{ id: 1, contact: { name: 'Bo' }, createdBy: 'x' }, ['1', '', 'Bo', false, null]],
    [{ id: 1, createdBy: 'cy', originalAuthor: 'x' }, ['1', '', 'cy', false, null]],
    [
      {
        id: 1,
        originalAuthor: 'dee',
        dateCreated: '2026-01-01T00:00:00Z',
        timeStart: '2026-01-02T00:00:00Z',
      },
      ['1', '', 'dee', false, '2026-01-01T00:00:00.000Z'],
    ],
    [
      { id: 1, _info: { dateEntered: '2026-01-03T00:00:00Z', sortByDate: '2026-01-04T00:00:00Z' } },
      ['1', '', null, false, '2026-01-03T00:00:00.000Z'],
    ],
    [
      { id: 1, _info: { sortByDate: '2026-01-04T00:00:00Z' }, timeStart: '2026-01-05T00:00:00Z' },
      ['1', '', null, false, '2026-01-04T00:00:00.000Z'],
    ],
    [
      { id: 1, _info: { lastUpdated: '2026-01-06T00:00:00Z' }, timeStart: '2026-01-05T00:00:00Z' },
      ['1', '', null, false, '2026-01-05T00:00:00.000Z'],
    ],
    [
      { id: 1, _info: { lastUpdated: '2026-01-06T00:00:00Z' } },
      ['1', '', null, false, '2026-01-06T00:00:00.000Z'],
    ],
  ])('reads the note %j', (wire, [id, body, author, internal, created_at]) => {
    expect(NoteWire.parse(wire)).toEqual({ id, text: body, author, internal, created_at })
  })

  it('reads the times and the state of a ticket', () => {
    const info = { lastUpdated: '2026-01-02T00:00:00Z', dateEntered: '2026-01-01T00:00:00Z' }
    const wire = {
      id: 7,
      summary: 's',
      initialDescription: 'd',
      closedFlag: true,
      _info: info,
      board: { id: 1, name: 'Desk' },
      type: { name: 'Network' },
    }
    expect(connectWiseRecords.toTicket(connectWiseRecords.TicketWire.parse(wire))).toEqual({
      ...{
        id: '7',
        summary: 's',
        board: 'Desk',
        status: null,
        priority: null,
        company: null,
        contact: null,
        owner: null,
      },
      ...{
        updated_at: '2026-01-02T00:00:00.000Z',
        board_id: '1',
        company_id: null,
        contact_id: null,
        type: 'Network',
      },
      ...{
        description: 'd',
        is_closed: true,
        merged_into: null,
        created_at: '2026-01-01T00:00:00.000Z',
        ...noDetails,
      },
    })
    expect(connectWiseRecords.toTicket(connectWiseRecords.TicketWire.parse({ id: 7 }))).toMatchObject({
      summary: '',
      description: null,
      created_at: null,
      is_closed: false,
    })
    expect(connectWiseRecords.StatusWire.parse({ id: 3, closedStatus: true })).toEqual({
      ...{ id: '3', name: 'Status 3', is_closed: true, inactive: false },
    })
    expect(connectWiseRecords.BoardWire.parse({ id: 3 })).toEqual({ id: '3', name: 'Board 3' })
  })
})

describe('a record of HaloPSA', () => {
  it('reads a ticket without an owner, and one without a status', () => {
    const read = (wire: object) =>
      haloRecords.toTicket(haloRecords.TicketWire.parse(wire), new Map([['2', 'Open']]))
    expect(
      read({ id: 7, agent_id: 1, agent_name: 'Unassigned', status_id: 2, priority: { name: 'High' } }),
    ).toMatchObject({
      owner: null,
      status: 'Open',
      priority: 'High',
    })
    expect(read({ id: 7, agent_name: 'Ada' })).toMatchObject({
      owner: 'Ada',
      status: null,
      priority: null,
      summary: '',
      is_closed: false,
    })
    expect(haloRecords.StatusWire.parse({ id: 3 })).toEqual({ id: '3', name: 'Status 3', is_closed: null })
    expect(haloRecords.readNotes({ actions: [{ id: 1 }] })).toMatchObject([{ text: '', internal: false }])
  })
})

describe('the details of a ticket', () => {
  const readers = {
    connectwise: (wire: object) =>
      connectWiseRecords.toTicket(connectWiseRecords.TicketWire.parse({ id: 7, ...wire })),
    halopsa: (wire: object) =>
      haloRecords.toTicket(haloRecords.TicketWire.parse({ id: 7, ...wire }), new Map()),
  }
  const shapes = { connectwise: connectWiseRecords.TicketWire.shape, halopsa: haloRecords.TicketWire.shape }
  const wrongValues = [
    null,
    7,
    'text',
    true,
    [],
    {},
    [null, 7, 'x', {}, { caption: [], label: {}, value: {} }],
    { id: {}, name: [] },
  ]

  it.each(
    (['connectwise', 'halopsa'] as const).flatMap((provider) =>
      Object.keys(shapes[provider]).flatMap((key) => (key === 'id' ? [] : [[provider, key] as const])),
    ),
  )('PSA-46 of %s are read although %s has a wrong type', (provider, key) => {
    for (const value of wrongValues) expect(readers[provider]({ [key]: value }).id).toBe('7')
  })

  it('PSA-46 have at most 50 people and custom fields, and texts of at most 500 characters', () => {
    const [long, many] = ['x'.repeat(9000), Array.from({ length: 5000 }, (_, n) => n)]
    const connectwise = readers.connectwise({
      site: { id: 1, name: long },
      resources: many.map((n) => `member${n}`).join(', '),
      customFields: many.map((n) => ({ caption: `${n}${long}`, value: long })),
    })
    const halopsa = readers.halopsa({
      site_name: long,
      additional_agents: many.map((n) => ({ agent_name: `agent ${n}` })),
      customfields: many.map((n) => ({ label: `${n}${long}`, display: long })),
    })
    for (const { site, resources, custom_fields } of [connectwise, halopsa]) {
      const [field] = custom_fields
      expect([
        site?.length,
        resources.length,
        custom_fields.length,
        field?.name.length,
        field?.value.length,
      ]).toEqual([500, 50, 50, 500, 500])
    }
  })

  it.each([
    [{ caption: 'A', value: false }, [{ name: 'A', value: 'No' }]],
    [{ caption: 'A', value: 2.5 }, [{ name: 'A', value: '2.5' }]],
    [{ caption: 'A', value: ' ' }, []],
    [{ value: 'x' }, []],
  ])('PSA-45 the custom field %j of ConnectWise is read as text', (field, expected) => {
    expect(readers.connectwise({ customFields: [field] }).custom_fields).toEqual(expected)
  })

  it.each([
    [{ slatimeleft: -0.5 }, false],
    [{ slatimeleft: 0 }, true],
    [{ slatimeleft: 3, excludefromsla: true }, null],
    [{}, null],
  ])('PSA-45 HaloPSA’s %j says whether the agreement is met', (wire, expected) => {
    expect(readers.halopsa(wire).is_in_sla).toBe(expected)
  })
})

describe('a value of a provider', () => {
  it.each([
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00-0100', '2026-01-01T01:00:00.000Z'],
    [`2026-01-01T00:00:00.${'0'.repeat(19)}`, '2026-01-01T00:00:00.000Z'],
    [`2026-01-01T00:00:00.${'0'.repeat(20)}`, null],
    ['soon', null],
    ['1990-01-01T00:00:00Z', '1990-01-01T00:00:00.000Z'],
    ...[
      '0001-01-01T00:00:00',
      '1753-01-01T00:00:00Z',
      '1899-12-30T00:00:00Z',
      '1900-01-01T00:00:00',
      '1970-01-01T00:00:00Z',
    ].map((value) => [value, null] as const),
    [0, null],
    [undefined, null],
  ] as const)('PSA-41 is the time %j: %j', (value, expected) => expect(time.parse(value)).toBe(expected))
  it.each([
    [' a\0 ', 'a'],
    [0, '0'],
    ['', null],
    [' ', null],
    [null, null],
    [undefined, null],
    [{}, null],
  ])('is the text %j: %j', (value, expected) => expect(text.parse(value)).toBe(expected))

  it('PSA-41 sorts and compares a note with a time that stands for none as one without a time', () => {
    const action = (id: number, datetime: string) => ({ id, datetime, note: 'It works' })
    const actions = [action(1, '1900-01-01T00:00:00'), action(2, '2020-01-01T00:00:00')]
    const notes = haloRecords.readNotes({ actions })
    expect(sortNewestFirst(notes).map(({ id, created_at }) => [id, created_at])).toEqual([
      ['2', '2020-01-01T00:00:00.000Z'],
      ['1', null],
    ])
    expect(findSameNote(notes, { text: 'It works', since: '2026-01-01T00:00:00.000Z' })).toBe('1')
  })
  it('sorts notes by time, then by number, and those without a time last', () => {
    const note = (id: string, created_at: string | null) => ({ id, created_at })
    const notes = [
      note('9', null),
      note('2', '2026-01-01'),
      note('10', '2026-01-01'),
      note('1', '2026-01-02'),
      note('11', null),
    ]
    expect(sortNewestFirst(notes).map(({ id }) => id)).toEqual(['1', '10', '2', '11', '9'])
  })
  it.each([
    ['2026-01-01T00:00:00.000Z', '1'],
    ['2025-12-31T23:59:59.999Z', null],
    [null, '1'],
  ])('finds a note with the same words of %s', (created_at, id) => {
    const note = { id: '1', text: 'It *works*\r\nnow.', author: null, internal: true, created_at }
    expect(findSameNote([note], { text: 'It works now', since: '2026-01-01T00:00:00.000Z' })).toBe(id)
    expect(findSameNote([note], { text: 'It works not', since: '2026-01-01T00:00:00.000Z' })).toBeNull()
  })
})
