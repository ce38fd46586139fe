import { expect, it } from 'vitest'
import {
  chooseCustomer,
  chooseSubscription,
  type StoredSubscription,
} from '#vendors/billing/choose-subscription.ts'

const old: StoredSubscription = {
  id: 'sub_old',
  customerId: 'cus_1',
  status: 'active',
  plan: 'pro',
  createdAt: '2026-01-01T00:00:00.000Z',
}
const recent: StoredSubscription = {
  ...old,
  id: 'sub_new',
  customerId: 'cus_2',
  plan: 'team',
  createdAt: '2026-02-01T00:00:00.000Z',
}

it('BIL-02 chooses none without a subscription to a plan', () =>
  expect([[], [{ ...old, plan: null }]].map(chooseSubscription)).toEqual([null, null]))

type Row = [
  description: string,
  old: Partial<StoredSubscription>,
  recent: Partial<StoredSubscription>,
  chosen: string,
]
it.each<Row>([
  ['the newest of two active ones', {}, {}, 'sub_new'],
  ['the active one, not a newer one with an overdue payment', {}, { status: 'past_due' }, 'sub_old'],
  ['the active one, not a newer unpaid one', {}, { status: 'unpaid' }, 'sub_old'],
  ['the active one, not a newer canceled one', {}, { status: 'canceled' }, 'sub_old'],
  [
    'the one with an overdue payment, not an unpaid one',
    { status: 'past_due' },
    { status: 'unpaid' },
    'sub_old',
  ],
  [
    'the unpaid one, which can be paid, not a canceled one',
    { status: 'unpaid' },
    { status: 'canceled' },
    'sub_old',
  ],
  ['the one with a plan, not a newer side price', {}, { plan: null }, 'sub_old'],
  [
    'the one with a plan, also when it is canceled and a side price is active',
    { status: 'canceled' },
    { plan: null },
    'sub_old',
  ],
  ['the newest of two canceled ones', { status: 'canceled' }, { status: 'canceled' }, 'sub_new'],
  ['always the same of two that were created in one second', { createdAt: recent.createdAt }, {}, 'sub_old'],
])('BIL-02 chooses %s, in any order', (_, oldFields, recentFields, chosen) => {
  const both = [
    { ...old, ...oldFields },
    { ...recent, ...recentFields },
  ]
  expect([both, both.toReversed()].map((rows) => chooseSubscription(rows)?.id)).toEqual([chosen, chosen])
})

it('BIL-04 chooses the customer of the subscription, else the one linked last, and none that is deleted', () => {
  const first = { id: 'cus_1', linkedAt: '2026-01-01T00:00:00.000Z', isDeleted: false }
  const second = { id: 'cus_2', linkedAt: '2026-02-01T00:00:00.000Z', isDeleted: false }
  const unnamed = { id: 'cus_3', linkedAt: null, isDeleted: false }
  expect(chooseCustomer([first, second, unnamed], old)).toBe('cus_1')
  expect(chooseCustomer([unnamed, first, second], null)).toBe('cus_2')
  expect(chooseCustomer([{ ...first, isDeleted: true }, second], old)).toBe('cus_2')
  expect(chooseCustomer([{ ...first, isDeleted: true }], old)).toBeNull()
})
