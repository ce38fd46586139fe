import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'
import { answer, platformFlow, stepFlow } from '../../support/sessions.ts'

const service = shared()
const targets = (count: number) => Array.from({ length: count }, (_, n) => ({ label: `SRV-${n}`, variables: { server: `srv-${n}` } }))
const batch = (person: Person, body: unknown) => person.call('POST', '/sessions/batch', body)
const sessionsOf = async ({ accountId }: Person) => (await service.sql('select from sessions where account_id = $1', [accountId])).length
const refused = async (person: Person, tree_id: string, given: unknown = targets(1)) => {
  const { status, body } = await batch(person, { tree_id, targets: given })
  expect(await sessionsOf(person)).toBe(0)
  return [status, body.code]
}

describe('a batch', () => {
  it('SES-06 SES-27 prepares a session for each target, sharing one batch_id', async () => {
    const { admin } = await newAccount(service)
    const flow = await newFlow(admin, stepFlow())
    const { status, body } = await batch(admin, { tree_id: flow.id, targets: targets(3), client_name: 'Contoso', ticket_number: 'CHG-1' })
    expect([status, Object.keys(body)]).toEqual([201, ['batch_id', 'sessions']])
    expect(body.sessions.map(({ target_label }: { target_label: string }) => target_label)).toEqual(['SRV-0', 'SRV-1', 'SRV-2'])
    const listed = (await admin.call('GET', `/sessions?batch_id=${body.batch_id}`)).body
    expect(listed.map(({ id }: { id: string }) => id).sort()).toEqual(body.sessions.map(({ id }: { id: string }) => id).sort())
    for (const [n, { id, target_label }] of body.sessions.entries()) {
      const session = (await admin.call('GET', `/sessions/${id}`)).body
      expect(session).toMatchObject({ state: 'prepared', batch_id: body.batch_id, target_label, user_id: admin.id, tree_id: flow.id })
      expect(session).toMatchObject({ client_name: 'Contoso', ticket_number: 'CHG-1', variables: { server: `srv-${n}` } })
    }
    expect((await admin.call('GET', `/trees/${flow.id}`)).body.usage_count).toBe(0)
    const started = (await admin.call('POST', `/sessions/${body.sessions[1].id}/start`)).body
    expect(started.current_step.title).toBe('Take a snapshot of srv-1')
    expect((await admin.call('GET', `/trees/${flow.id}`)).body.usage_count).toBe(1)
  })

  it('SES-07 SES-08 takes 1 to 100 targets', async () => {
    const { admin } = await newAccount(service)
    const { id } = await newFlow(admin, stepFlow())
    expect(await refused(admin, id, [])).toEqual([422, undefined])
    expect(await refused(admin, id, targets(101))).toEqual([422, undefined])
    expect((await batch(admin, { tree_id: id, targets: targets(100) })).body.sessions).toHaveLength(100)
    expect(await sessionsOf(admin)).toBe(100)
  })

  it('SES-09 refuses a flow of another type', async () => {
    const { admin } = await newAccount(service)
    const procedure = await newFlow(admin, stepFlow({ tree_type: 'procedural' }))
    const tree = await newFlow(admin)
    for (const { id } of [procedure, tree]) expect(await refused(admin, id)).toEqual([400, 'not_maintenance'])
  })

  it('SES-10 knows no flow that the caller does not see', async () => {
    const [account, other] = [await newAccount(service), await newAccount(service)]
    const foreign = await newFlow(other.admin, stepFlow({ visibility: 'public' }))
    const hidden = await newFlow(await account.colleague(), stepFlow({ visibility: 'private' }))
    for (const { id } of [foreign, hidden, { id: crypto.randomUUID() }]) expect(await refused(account.admin, id)).toEqual([404, undefined])
  })

  it('SES-11 refuses a draft, a flow that is gone, and one of another team', async () => {
    const account = await newAccount(service)
    const { admin } = account
    const [draft, gone] = [await newFlow(admin, stepFlow({ status: 'draft' })), await newFlow(admin, stepFlow())]
    await admin.call('DELETE', `/trees/${gone.id}`)
    expect(await refused(admin, draft.id)).toEqual([400, 'flow_not_published'])
    expect(await refused(admin, gone.id)).toEqual([404, undefined])
    const team = (await admin.call('POST', '/teams', { name: 'North' })).body
    const other = await newFlow(await account.colleague({ teamId: team.id }), stepFlow())
    expect(await refused(await account.colleague(), other.id)).toEqual([404, undefined])
    expect(await refused(admin, other.id)).toEqual([400, 'not_own_team'])
  })

  it('SES-38 refuses a flow of the platform, and one that another team shares', async () => {
    const account = await newAccount(service)
    const engineer = await account.colleague()
    const team = (await account.admin.call('POST', '/teams', { name: 'North' })).body
    const other = await newFlow(await account.colleague({ teamId: team.id }), stepFlow({ visibility: 'account' }))
    const starter = await platformFlow(service, 'maintenance', stepFlow().tree_structure)
    const alone = await account.colleague({ teamId: null })
    expect(await refused(engineer, other.id)).toEqual([400, 'not_own_team'])
    expect(await refused(engineer, starter)).toEqual([400, 'not_own_team'])
    expect(await refused(alone, other.id)).toEqual([400, 'not_own_team'])
  })

  it('SES-12 takes a label of 255 characters, and none of 256', async () => {
    const { admin } = await newAccount(service)
    const { id } = await newFlow(admin, stepFlow())
    const labelled = (length: number) => [{ label: 'x'.repeat(length), variables: { server: 'srv' } }]
    expect(await refused(admin, id, labelled(256))).toEqual([422, undefined])
    expect(await refused(admin, id, labelled(0))).toEqual([422, undefined])
    expect((await batch(admin, { tree_id: id, targets: labelled(255) })).body.sessions[0].target_label).toHaveLength(255)
    const told = async (path: string, given: unknown) => (await admin.call('POST', path, given)).body.errors[0].loc
    expect(await told('/sessions/batch', { tree_id: id, targets: labelled(256) })).toEqual(['body', 'targets', 0, 'label'])
    expect(await told('/sessions/prepare', { tree_id: id, target_label: 'x'.repeat(256) })).toEqual(['body', 'target_label'])
  })

  it('SES-34 creates nothing when one target is wrong, and names it', async () => {
    const { admin } = await newAccount(service)
    const { id } = await newFlow(admin, stepFlow())
    const given = [...targets(2), { label: 'LAST', variables: { server: 'not a host' } }, { label: 'NONE' }]
    const { status, body } = await batch(admin, { tree_id: id, targets: given })
    expect([status, body.errors.map(({ loc }: { loc: unknown[] }) => loc)]).toEqual([
      422,
      [2, 3].map((n) => ['body', 'targets', n, 'variables', 'server']),
    ])
    expect(body.errors[0].msg).toMatch(/^LAST: Server: /)
    expect(await sessionsOf(admin)).toBe(0)
    const large = { label: 'LARGE', variables: { server: 'srv', note: 'é'.repeat(32_760) } }
    expect(await refused(admin, id, [...targets(1), large])).toEqual([422, undefined])
  })

  it('shows how far it has come', async () => {
    const account = await newAccount(service)
    const { id: tree_id } = await newFlow(account.admin, stepFlow())
    const { batch_id, sessions } = (await batch(account.admin, { tree_id, targets: targets(3) })).body
    const viewer = await account.colleague({ role: 'viewer' })
    const progress = async () => (await viewer.call('GET', `/sessions/batches/${batch_id}`)).body
    const none = { resolved: 0, unresolved: 0, escalated: 0, cancelled: 0 }
    expect(await progress()).toEqual({
      ...{ batch_id, tree_id, total: 3, percent: 0, by_outcome: none },
      by_state: { prepared: 3, in_progress: 0, completed: 0, abandoned: 0 },
    })
    const [first, second, third] = sessions.map(({ id }: { id: string }) => `/sessions/${id}`)
    await answer(account.admin, (await account.admin.call('POST', `${first}/start`)).body, 'done')
    await account.admin.call('POST', `${first}/complete`, { outcome: 'resolved' })
    await account.admin.call('PATCH', second, { state: 'abandoned' })
    expect(await progress()).toMatchObject({
      ...{ total: 3, percent: 66, by_outcome: { ...none, resolved: 1 } },
      by_state: { prepared: 1, in_progress: 0, completed: 1, abandoned: 1 },
    })
    await account.admin.call('DELETE', third)
    expect(await progress()).toMatchObject({ total: 2, percent: 100 })
    const other = await newAccount(service)
    expectStatus(await other.admin.call('GET', `/sessions/batches/${batch_id}`), 404)
  })
})
