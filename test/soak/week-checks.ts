import { expect } from 'vitest'
import { type WaitingKind, waitingWork } from '#db/waiting-work.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { type Booking, onCallPeople, type Week } from './week.ts'

/**
 * What an account admin does in the evening about the work of those who have left: finds it in the lists,
 * takes it over, hands it over or ends it.
 */
export async function inherit({ admin, gone, people, workers }: Week): Promise<void> {
  const list = async (path: string) => expectStatus(await admin.call('GET', path), 200).body as Row[]
  const act = async (path: string, body: object = {}, method = 'POST') => {
    const { status, text } = await admin.call(method, path, body)
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
  }
  for (const { id, teamId } of gone) {
    const heir = people.find((person) => person.teamId === teamId && workers.has(person)) ?? admin
    for (const state of ['prepared', 'in_progress'])
      for (const session of await list(`/sessions?user_id=${id}&state=${state}&limit=100`))
        if (!session.parent_session_id) await act(`/sessions/${session.id}/reassign`, { user_id: heir.id })
    for (const schedule of await list('/maintenance-schedules?limit=100'))
      if (schedule.created_by === id)
        await act(`/maintenance-schedules/${schedule.id}`, { name: `Heir of ${schedule.name}` }, 'PATCH')
    for (const flow of await list('/trees?limit=100'))
      if (flow.author_id === id && flow.visibility === 'private')
        await act(`/trees/${flow.id}`, { visibility: 'account' }, 'PUT')
  }
  for (const session of await list('/ai-sessions?owner_left=true&limit=100'))
    if (!endedStates.includes(session.status ?? ''))
      await act(`/ai-sessions/${session.id}/resolve`, { outcome: 'resolved' })
  const left = new Set(gone.map(({ id }) => id))
  for (const { session_id, target_user_id, claimed_by } of await list('/ai-sessions/queue?limit=100'))
    if (!claimed_by && left.has(target_user_id ?? '')) await act(`/ai-sessions/${session_id}/pickup`)
  for (const { id, session_id } of await list('/approvals?limit=100'))
    await act(`/sessions/${session_id}/approvals/${id}/approve`)
}
const endedStates = ['resolved', 'abandoned', 'archived']
interface Row {
  status?: string
  id: string
  session_id?: string
  parent_session_id?: string | null
  created_by?: string
  author_id?: string
  visibility?: string
  name?: string
  target_user_id?: string | null
  claimed_by?: string | null
}

/** Expect that no row of any kind of work waits for somebody who can no longer work. */
export async function expectNothingWaitsForNobody({
  service,
  admin,
  gone,
}: Pick<Week, 'service' | 'admin' | 'gone'>): Promise<void> {
  const waiting: { kind: WaitingKind; id: string }[] = []
  for (const [place, { kind, isOpen }] of Object.entries(waitingWork)) {
    const [table, column] = place.split('.') as [string, string]
    const names = column.endsWith('_ids') ? `u.id = any (t.${column})` : `u.id = t.${column}`
    // Of several approvers one is enough.
    const isLast = column.endsWith('_ids')
      ? `and not exists (select from users o where o.id = any (t.${column}) and app.can_work(o))`
      : ''
    const rows = await service.sql<{ id: string }>(
      `select to_jsonb(t) ->> 'id' as id from ${table} t join users u on ${names}
        where t.account_id = $1 and (${isOpen}) and not (u.is_active and u.role <> 'viewer') ${isLast}`,
      [admin.accountId],
    )
    waiting.push(...rows.map(({ id }) => ({ kind, id })))
  }
  expect(waiting).toEqual([])
  for (const { id } of gone)
    expect(expectStatus(await admin.call('GET', `/accounts/me/members/${id}/work`), 200).body).toEqual([])
}

/** Expect that whoever is on call works this day. */
export async function expectOnCall({ admin, people }: Week, day: number): Promise<void> {
  const onCall = await admin.client.oncall.schedules.listOnCall({})
  expect(onCall.map(({ user }) => user?.id)).toEqual([people[onCallPeople[day] ?? 0]?.id])
}

/** Expect that the ticketing system has one time entry per booking, as it was asked for, and no other. */
export async function expectBookedOnce({ service, bookings }: Week): Promise<void> {
  const path = `${service.localOrigin}/psa/v4_6_release/apis/3.0/time/entries?pageSize=1000`
  const headers = { authorization: `Basic ${btoa('demo+demo:demo')}`, clientid: 'demo' }
  const entries = (await (await fetch(path, { headers })).json()) as {
    chargeToId: number
    internalNotes: string
    member: { id: number }
    actualHours: number
  }[]
  const booked = entries.flatMap(({ chargeToId, internalNotes, member, actualHours }) => {
    const id = /sf-([\w-]{36})/.exec(internalNotes)?.[1]
    return id ? [{ id, memberId: String(member.id), ticket: String(chargeToId), hours: actualHours }] : []
  })
  const toEntry = ([id, { memberId, ticket, minutes }]: [string, Booking]) => ({
    ...{ id, memberId, ticket },
    hours: Math.round((minutes / 60) * 100) / 100,
  })
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
  expect(booked.sort(byId)).toEqual([...bookings].map(toEntry).sort(byId))
}

/** Let everybody end what is theirs, parts before their runs. Nothing may be refused. */
export async function endEverything({ service, admin, people }: Week): Promise<void> {
  const endEach = async (from: string, method: string, verb: string, body?: object) => {
    const rows = await service.sql<{ id: string; owner: string }>(from, [admin.accountId])
    for (const { id, owner } of rows) {
      const person = people.find((one) => one.id === owner)
      const { status, text } = (await person?.call(method, verb.replace(':id', id), body)) ?? {}
      expect(status, text).toBeOneOf([200, 204])
    }
  }
  const runs = 'select id, user_id as owner from sessions where account_id = $1 and state ='
  await endEach(`${runs} 'prepared'`, 'DELETE', '/sessions/:id')
  const unresolved = { outcome: 'unresolved' }
  for (const part of ['not null', 'null'])
    await endEach(
      `${runs} 'in_progress' and parent_session_id is ${part}`,
      'POST',
      '/sessions/:id/complete',
      unresolved,
    )
  await endEach(
    `select id, coalesce(picked_up_by_id, user_id) as owner from ai_sessions
      where account_id = $1 and status not in ('resolved', 'abandoned', 'archived')`,
    'POST',
    '/ai-sessions/:id/resolve',
    { outcome: 'resolved' },
  )
}
