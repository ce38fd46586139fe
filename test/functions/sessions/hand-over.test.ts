import { describe, expect, it } from 'vitest'
import { insertApproval } from '#test/contract/fixtures-approvals.ts'
import { insertSession } from '#test/contract/fixtures-sessions.ts'
import { createKey } from '#test/support/api-keys.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createChildFlow, createParentFlow, startRun } from '#test/support/subflows.ts'

const service = await sharedService()

const reassign = (person: Person, id: string, { id: user_id }: { id: string }) =>
  person.call('POST', `/sessions/${id}/reassign`, { user_id })
const take = (person: Person, id: string) => person.call('POST', `/sessions/${id}/take`)
const selectUser = async (id: string) => {
  const [row] = await service.sql<{ user_id: string }>('select user_id from sessions where id = $1', [id])
  return row?.user_id
}

async function createTeam() {
  const account = await createAccount(service)
  const [owner, colleague, teamAdmin] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague({ teamRole: 'admin' }),
  ]
  return { ...account, owner, colleague, teamAdmin }
}

describe('a session that is handed over', () => {
  it.each(['prepared', 'in_progress'])(
    'SES-65 belongs to the colleague, and the audit log has who gave it away: %s',
    async (state) => {
      const { owner, colleague, teamAdmin, admin } = await createTeam()
      for (const giver of [owner, teamAdmin, admin]) {
        const id = await insertSession(service, owner, state)
        const { body } = expectStatus(await reassign(giver, id, colleague), 200)
        expect(body).toMatchObject({
          user_id: colleague.id,
          user_name: colleague.fullName,
          state,
          assigned_at: expect.any(String),
        })
        const path = state === 'prepared' ? 'start' : 'decisions'
        const answer = { step_id: 'ping', option_id: 'yes' }
        const next = await colleague.call('POST', `/sessions/${id}/${path}`, path === 'start' ? {} : answer)
        expectStatus(next, path === 'start' ? 200 : 201)
        if (giver !== admin)
          expectStatus(await giver.call('POST', `/sessions/${id}/complete`, { outcome: 'resolved' }), 403)
        expect(
          await service.sql(
            `select actor_id, action, changes -> 'user_id' as change from audit_logs where resource_id = $1`,
            [id],
          ),
        ).toEqual([
          {
            actor_id: giver.id,
            action: 'session.updated',
            change: { from: owner.id, to: colleague.id },
          },
        ])
      }
    },
  )

  it('SES-65 cannot be given away by others, nor to whoever cannot work on it', async () => {
    const { owner, colleague, admin, addColleague } = await createTeam()
    const id = await insertSession(service, owner)
    expectStatus(await reassign(colleague, id, colleague), 403)
    expectStatus(await reassign(admin, crypto.randomUUID(), colleague), 404)
    const [viewer, gone, elsewhere, stranger, key] = [
      await addColleague({ role: 'viewer' }),
      await addColleague(),
      await addColleague({ teamId: null }),
      (await createAccount(service)).admin,
      await createKey(service, { admin }),
    ]
    await service.sql('update users set is_active = false where id = $1', [gone.id])
    for (const person of [viewer, gone, elsewhere, stranger, key, { id: crypto.randomUUID() }])
      expect(expectStatus(await reassign(owner, id, person), 422).body.errors).toMatchObject([
        { loc: ['body', 'user_id'] },
      ])
    await service.sql(
      `update sessions set state = 'completed', outcome = 'resolved', completed_at = now() where id = $1`,
      [id],
    )
    expect(expectStatus(await reassign(owner, id, colleague), 409).body.code).toBe('wrong_state')
    expect(await selectUser(id)).toBe(owner.id)
  })

  it('SES-65 goes to one of 32 colleagues to whom its user gives it at once', async () => {
    const { owner, addColleague } = await createTeam()
    const id = await insertSession(service, owner)
    const colleagues = await Promise.all(Array.from({ length: 32 }, () => addColleague()))
    const answers = await Promise.all(
      colleagues.map(async (person) => [person.id, (await reassign(owner, id, person)).status] as const),
    )
    const given = answers.filter(([, status]) => status === 200)
    expect(given.map(([userId]) => userId)).toEqual([await selectUser(id)])
    expect(answers.filter(([, status]) => status === 403)).toHaveLength(31)
    expect(await service.sql('select from audit_logs where resource_id = $1', [id])).toHaveLength(1)
  })

  it('SES-65 takes its rating and its approvals along, but not what the colleague has approved', async () => {
    const { owner, colleague } = await createTeam()
    const ids = []
    for (const state of ['pending', 'approved']) {
      const { session_id, approval_id } = await insertApproval(service, owner, owner.id)
      if (state === 'approved')
        await service.sql(
          `update approvals set state = 'approved', decided_by = $2, decided_at = now() where id = $1`,
          [approval_id, colleague.id],
        )
      expectStatus(await owner.call('PUT', `/sessions/${session_id}/rating`, { score: 4 }), 200)
      expectStatus(await reassign(owner, session_id, colleague), 200)
      ids.push(session_id)
    }
    const rows = await service.sql(
      `select a.state, a.runner_id, r.session_user_id from approvals a
         join session_ratings r on r.session_id = a.session_id where a.session_id = any ($1) order by a.state`,
      [ids],
    )
    const user = { runner_id: colleague.id, session_user_id: colleague.id }
    expect(rows).toEqual([
      { state: 'pending', ...user },
      { state: 'voided', ...user },
    ])
  })

  it('SES-65 takes the sub-flow that it waits for along, which is not handed over alone', async () => {
    const { owner, colleague } = await createTeam()
    const parent = await createParentFlow(owner, (await createChildFlow(owner)).id)
    const run = await startRun(owner, parent.id)
    const part = expectStatus(await owner.call('POST', `/sessions/${run.id}/subflows`, {}), 201).body
    const refusal = expectStatus(await reassign(owner, part.id, colleague), 409).body
    expect(refusal).toMatchObject({ code: 'wrong_state', parent_session_id: run.id })
    expectStatus(await reassign(owner, run.id, colleague), 200)
    expect(await selectUser(part.id)).toBe(colleague.id)
    const completed = await colleague.call('POST', `/sessions/${part.id}/complete`, { outcome: 'resolved' })
    expectStatus(completed, 200)
    const audit = await service.sql('select resource_id from audit_logs where account_id = $1', [
      owner.accountId,
    ])
    expect(audit).toEqual([{ resource_id: run.id }])
  })
})

describe('a prepared session', () => {
  it('SES-66 is taken by one of 32 members of its team', async () => {
    const { owner, addColleague } = await createTeam()
    const id = await insertSession(service, owner, 'prepared', crypto.randomUUID())
    const shift = await Promise.all(Array.from({ length: 32 }, () => addColleague()))
    const answers = await Promise.all(
      shift.map(async (person) => [person.id, await take(person, id)] as const),
    )
    const taken = answers.filter(([, { status }]) => status === 200)
    expect(taken.map(([userId, { body }]) => body.user_id === userId)).toEqual([true])
    const taker = taken[0]?.[0]
    expect(await selectUser(id)).toBe(taker)
    for (const [userId, { body }] of answers)
      if (userId !== taker) expect(body).toMatchObject({ code: 'already_claimed', user_id: taker })
  })

  it('SES-66 can be taken by its team alone, once, until its user can no longer work', async () => {
    const { owner, colleague, admin, addColleague } = await createTeam()
    const id = await insertSession(service, owner, 'prepared')
    expectStatus(await take(await addColleague({ teamId: null }), id), 403)
    expectStatus(await take((await createAccount(service)).admin, id), 404)
    const first = expectStatus(await take(colleague, id), 200).body
    expect(expectStatus(await take(colleague, id), 200).body.assigned_at).toBe(first.assigned_at)
    expectStatus(await take(owner, id), 409)
    await service.sql(`update users set role = 'viewer' where id = $1`, [colleague.id])
    expectStatus(await take(owner, id), 200)
    expectStatus(await owner.call('POST', `/sessions/${id}/start`, {}), 200)
    expect(expectStatus(await take(admin, id), 409).body.code).toBe('wrong_state')
  })
})
