import { describe, expect, it } from 'vitest'
import { type BillingState, decideEvent, type EventState } from '#vendors/billing/decide-event.ts'

const earlier = '2026-11-21T09:29:59.000Z'
const at = '2026-11-21T09:30:00.000Z'
const later = '2026-11-21T09:30:01.000Z'

const state: BillingState = {
  customerId: 'cus_1',
  subscriptionId: 'sub_1',
  status: 'active',
  eventAt: earlier,
  isReplayed: false,
  matchingPlan: 'pro',
}
const event: EventState = { at, customerId: 'cus_1', subscription: { id: 'sub_1', status: 'past_due' }, isFetched: false }
const newAccount = { customerId: null, subscriptionId: null, status: 'trialing', eventAt: null } as const

const notStored = (outcome: string) => ({ isStored: false, outcome })
const stored = (outcome: string, changes: object = {}) => ({
  isStored: true,
  outcome,
  linksCustomer: false,
  changesSubscription: false,
  ...changes,
})

type Row = [description: string, state: Partial<BillingState>, event: Partial<EventState>, decision: object]
const rows: Row[] = [
  ['applies a newer event', {}, {}, stored('applied', { changesSubscription: true })],
  ['applies the first event of an account', newAccount, {}, stored('applied', { linksCustomer: true, changesSubscription: true })],
  ['keeps the plan if no plan has the price', { matchingPlan: null }, {}, stored('unknown_price', { changesSubscription: true })],
  ['does not store a repeated event', { isReplayed: true }, {}, notStored('replayed')],
  ['does not store a repeated event of the same second', { isReplayed: true, eventAt: at }, {}, notStored('replayed')],
  ['does not change the subscription by an older event', { eventAt: later }, {}, stored('stale')],
  ['does not decide between two events of one second', { eventAt: at }, {}, notStored('tie')],
  ['applies a fetched state of the same second', { eventAt: at }, { isFetched: true }, stored('applied', { changesSubscription: true })],
  ['does not apply a fetched state of an older event', { eventAt: later }, { isFetched: true }, stored('stale')],
  [
    'links a customer for an older event too',
    { customerId: null, subscriptionId: 'sub_0', eventAt: later },
    {},
    stored('stale', { linksCustomer: true }),
  ],
  ['does not link a deleted customer again', { customerId: null }, {}, stored('applied', { changesSubscription: true })],
  [
    'links the customer of a new subscription',
    { customerId: 'cus_0', subscriptionId: 'sub_0', status: 'canceled' },
    {},
    stored('applied', { linksCustomer: true, changesSubscription: true }),
  ],
  ['changes no subscription for an event without one', {}, { subscription: null }, stored('applied')],
  [
    'links a customer for an event without a subscription',
    { customerId: 'cus_0' },
    { subscription: null },
    stored('applied', { linksCustomer: true }),
  ],
  [
    'links a customer if neither the event nor the account has a subscription',
    newAccount,
    { subscription: null },
    stored('applied', { linksCustomer: true }),
  ],
  ['compares no times for an event without a subscription', { eventAt: at }, { subscription: null }, stored('applied')],
]

describe('decideEvent', () => {
  it.each(rows)('%s', (_, stateFields, eventFields, decision) => {
    expect(decideEvent({ ...state, ...stateFields }, { ...event, ...eventFields })).toEqual(decision)
  })

  it('does not store an event of an unknown customer', () => {
    expect(decideEvent(null, event)).toEqual(notStored('unknown_customer'))
  })

  it.each(['unpaid', 'canceled'] as const)('ignores that a former subscription becomes %s while another one is paid', (status) => {
    for (const current of ['active', 'past_due'] as const)
      expect(decideEvent({ ...state, status: current }, { ...event, subscription: { id: 'sub_0', status } })).toEqual(stored('ignored'))
    for (const current of ['trialing', 'free', 'unpaid', 'canceled'] as const)
      expect(decideEvent({ ...state, status: current }, { ...event, subscription: { id: 'sub_0', status } }).outcome).toBe('applied')
  })

  it('applies that another subscription is paid or overdue', () => {
    for (const status of ['active', 'past_due'] as const)
      expect(decideEvent(state, { ...event, subscription: { id: 'sub_2', status } }).outcome).toBe('applied')
  })
})
