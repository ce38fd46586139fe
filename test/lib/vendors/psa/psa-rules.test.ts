import { expect, it } from 'vitest'
import type { Ticket } from '#vendors/psa/psa.ts'
import { matchesRule, toVariables } from '#vendors/psa/rules.ts'
import { measureMinutes, roundMinutes } from '#vendors/psa/time-entry.ts'

const ticket: Ticket = {
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
  ...{ impact: null, site: null, team: null, resources: [], custom_fields: [], merged_into: null },
  ...{
    id: '4711',
    summary: 'Café: VPN (Cisco) drops',
    board: 'Desk',
    status: 'New',
    priority: null,
    company: 'Contoso',
    contact: null,
  },
  ...{
    owner: null,
    updated_at: null,
    board_id: '1',
    company_id: '21',
    contact_id: null,
    type: 'Network',
    description: 'It fails\nevery day.',
  },
  ...{ is_closed: false, created_at: null },
}
const conditions = { board_id: null, ticket_type: null, keywords: [] as string[] }

it.each([
  [{}, true],
  [{ board_id: '1' }, true],
  [{ board_id: '2' }, false],
  [{ ticket_type: 'network' }, true],
  [{ ticket_type: 'Hardware' }, false],
  [{ keywords: ['vpn'] }, true],
  [{ keywords: ['cafe'] }, true],
  [{ keywords: ['cisco drops'] }, true],
  [{ keywords: ['fails every'] }, true],
  [{ keywords: ['VP'] }, false],
  [{ keywords: ['.*', '(a+)+$'] }, false],
  [{ keywords: ['printer', 'day'] }, true],
  [{ keywords: ['vpn'], board_id: '2' }, false],
])('PSA-36 matches %j: %s', (rule, matches) => {
  expect(matchesRule({ ...conditions, ...rule }, ticket)).toBe(matches)
})

it('PSA-50 a ticket that was merged matches no rule', () => {
  expect(matchesRule(conditions, { ...ticket, merged_into: '4712' })).toBe(false)
})

it.each([
  ['null', false],
  ['undefined', false],
  ['vpn', true],
])('PSA-36 a ticket without a type and a description matches the keyword %j: %s', (keyword, matches) => {
  const bare = { ...ticket, type: null, description: null }
  expect(matchesRule({ ...conditions, keywords: [keyword] }, bare)).toBe(matches)
  expect(matchesRule({ ...conditions, ticket_type: keyword }, bare)).toBe(false)
})

it('PSA-36 matches no closed ticket', () => {
  expect(matchesRule(conditions, { ...ticket, is_closed: true })).toBe(false)
})

it('PSA-36 searches a long description in bounded time', { retry: 2 }, () => {
  const description = 'a'.repeat(5_000_000)
  const start = performance.now()
  expect(
    matchesRule({ ...conditions, keywords: Array(20).fill('(a+)+$ b') }, { ...ticket, description }),
  ).toBe(false)
  expect(performance.now() - start).toBeLessThan(100)
})

it('PSA-33 leaves out the variables of empty fields', () => {
  expect(toVariables({ site: 'company', user_name: 'contact' }, ticket)).toEqual({ site: 'Contoso' })
})

it.each([
  ['2026-11-21T09:00:00.000Z', 1, 0, 1],
  ['2026-11-21T09:00:00.001Z', 1, 0, 1],
  ['2026-11-21T09:07:00.000Z', 15, 0, 15],
  ['2026-11-21T09:15:00.000Z', 15, 0, 15],
  ['2026-11-21T09:15:01.000Z', 15, 0, 30],
  ['2026-11-21T09:02:00.000Z', 6, 20, 20],
])(
  'PSA-24 rounds the time until %s by %i minutes and a minimum of %i to %i',
  (end, step, minimum, minutes) => {
    const measured = measureMinutes('2026-11-21T09:00:00.000Z', end)
    expect(roundMinutes(measured, { time_rounding_minutes: step, time_minimum_minutes: minimum })).toBe(
      minutes,
    )
  },
)
