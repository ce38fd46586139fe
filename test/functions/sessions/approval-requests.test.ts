import { expect, it } from 'vitest'
import { type ApprovalSubject, request } from '#functions/sessions/approvals/service.ts'
import type { Problem } from '#problem.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'

const session = { id: 's', current_step_id: 'ping', answered: 2 } as never
const subject = {
  kind: 'step',
  title: 't',
  subject: 'x',
  digest: 'd',
  script: null,
  roles: [],
  userIds: [],
} as unknown as ApprovalSubject

/** Request an approval of a session at the step `ping`. Return the refusal. */
async function refuse(rows: { latest?: object[]; inserted?: object[] }, changes: object = {}) {
  const { db, findStatements } = createStubDatabase((sql) => {
    if (sql.includes('insert into approvals')) return rows.inserted ?? []
    return sql.includes('order by a.requested_at') ? (rows.latest ?? []) : []
  })
  const problem: Problem = await request({ db, caller: { userId: 'u' } } as never, session, {
    ...subject,
    ...changes,
  }).then(
    () => Promise.reject(new Error('was not refused')),
    (error) => error,
  )
  const { code, current_step_id, limit, resource } = problem.body
  return { code, current_step_id, limit, resource, events: findStatements('stream_events').length }
}

it.each([
  ['a step that the session has left meanwhile', {}, { code: 'step_not_current', current_step_id: 'ping' }],
  ['an approved step', { latest: [{ state: 'approved' }] }, { code: 'already_decided' }],
  [
    'a rejected step that the session has left',
    { latest: [{ state: 'rejected' }] },
    { code: 'step_not_current', current_step_id: 'ping' },
  ],
  ['a step that nobody may approve', { inserted: [{ id: 'a', approver_ids: [] }] }, { code: 'no_approver' }],
])('APR-08 refuses a request for %s', async (_, rows, expected) => {
  expect(await refuse(rows)).toEqual({ events: 0, ...expected })
})

it.each([
  ['title', 'x'.repeat(1000), { code: 'step_not_current', current_step_id: 'ping' }],
  ['title', 'x'.repeat(1001), { code: 'limit_reached', limit: 1000, resource: 'approval_title' }],
  ['subject', 'é'.repeat(200_000), { code: 'step_not_current', current_step_id: 'ping' }],
  [
    'subject',
    `${'é'.repeat(200_000)}x`,
    { code: 'limit_reached', limit: 400_000, resource: 'approval_text' },
  ],
])('APR-10 limits the size of the %s', async (field, text, expected) => {
  expect(await refuse({}, { [field]: text })).toEqual({ events: 0, ...expected })
})
