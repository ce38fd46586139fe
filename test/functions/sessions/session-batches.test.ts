import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { buildTargets } from '#test/support/maintenance.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { answerStep, insertPlatformFlow, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()
const createBatch = (person: Person, body: unknown) => person.call('POST', '/sessions/batch', body)
const countSessions = async ({ accountId }: Person) =>
  (await service.sql('select from sessions where account_id = $1', [accountId])).length
/** Post an invalid batch and expect that no session is created. Return the status and the error code. */
const createInvalidBatch = async (person: Person, tree_id: string, targets: unknown = buildTargets(1)) => {
  const { status, body } = await createBatch(person, { tree_id, targets })
  expect(await countSessions(person)).toBe(0)
  return [status, body.code]
}

describe('a batch', () => {
  it('SES-06 SES-27 prepares a session for each target of a batch, with a common batch_id', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, proceduralFlowFields())
    const { status, body } = await createBatch(admin, {
      tree_id: flow.id,
      targets: buildTargets(3),
      client_name: 'Contoso',
      ticket_number: 'CHG-1',
    })
    expect([status, Object.keys(body)]).toEqual([201, ['batch_id', 'sessions']])
    expect(body.sessions.map(({ target_label }: { target_label: string }) => target_label)).toEqual([
      'SRV-0',
      'SRV-1',
      'SRV-2',
    ])
    const items = (await admin.call('GET', `/sessions?batch_id=${body.batch_id}`)).body
    expect(items.map(({ id }: { id: string }) => id).sort()).toEqual(
      body.sessions.map(({ id }: { id: string }) => id).sort(),
    )
    for (const [n, { id, target_label }] of body.sessions.entries()) {
      const session = (await admin.call('GET', `/sessions/${id}`)).body
      expect(session).toMatchObject({
        state: 'prepared',
        batch_id: body.batch_id,
        target_label,
        user_id: admin.id,
        tree_id: flow.id,
      })
      expect(session).toMatchObject({
        client_name: 'Contoso',
        ticket_number: 'CHG-1',
        variables: { server: `srv-${n}` },
      })
    }
    expect((await admin.call('GET', `/trees/${flow.id}`)).body.usage_count).toBe(0)
    const started = (await admin.call('POST', `/sessions/${body.sessions[1].id}/start`)).body
    expect(started.current_step.title).toBe('Take a snapshot of srv-1')
    expect((await admin.call('GET', `/trees/${flow.id}`)).body.usage_count).toBe(1)
  })

  it('SES-07 SES-08 accepts a batch of 1 to 100 targets and no other size', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin, proceduralFlowFields())
    expect(await createInvalidBatch(admin, id, [])).toEqual([422, undefined])
    expect(await createInvalidBatch(admin, id, buildTargets(101))).toEqual([422, undefined])
    expect(
      (await createBatch(admin, { tree_id: id, targets: buildTargets(100) })).body.sessions,
    ).toHaveLength(100)
    expect(await countSessions(admin)).toBe(100)
  })

  it('SES-09 rejects a batch of a flow that is not a maintenance flow', async () => {
    const { admin } = await createAccount(service)
    const procedure = await createFlow(admin, proceduralFlowFields({ tree_type: 'procedural' }))
    const tree = await createFlow(admin)
    for (const { id } of [procedure, tree])
      expect(await createInvalidBatch(admin, id)).toEqual([400, 'wrong_flow_type'])
  })

  it('SES-10 returns 404 for a batch of a flow that the caller cannot see', async () => {
    const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
    const foreignFlow = await createFlow(otherAccount.admin, proceduralFlowFields({ visibility: 'public' }))
    const hiddenFlow = await createFlow(
      await account.addColleague(),
      proceduralFlowFields({ visibility: 'private' }),
    )
    for (const { id } of [foreignFlow, hiddenFlow, { id: crypto.randomUUID() }])
      expect(await createInvalidBatch(account.admin, id)).toEqual([404, undefined])
  })

  it('SES-11 rejects a batch of a draft, a deleted flow or a flow of another team', async () => {
    const account = await createAccount(service)
    const { admin } = account
    const [draft, deleted] = [
      await createFlow(admin, proceduralFlowFields({ status: 'draft' })),
      await createFlow(admin, proceduralFlowFields()),
    ]
    await admin.call('DELETE', `/trees/${deleted.id}`)
    expect(await createInvalidBatch(admin, draft.id)).toEqual([400, 'not_published'])
    expect(await createInvalidBatch(admin, deleted.id)).toEqual([404, undefined])
    const team = (await admin.call('POST', '/teams', { name: 'North' })).body
    const otherFlow = await createFlow(
      await account.addColleague({ teamId: team.id }),
      proceduralFlowFields(),
    )
    expect(await createInvalidBatch(await account.addColleague(), otherFlow.id)).toEqual([404, undefined])
    expect(await createInvalidBatch(admin, otherFlow.id)).toEqual([400, 'not_own_team'])
  })

  it('SES-38 rejects a batch of a platform flow or of a flow that another team shares', async () => {
    const account = await createAccount(service)
    const engineer = await account.addColleague()
    const team = (await account.admin.call('POST', '/teams', { name: 'North' })).body
    const otherFlow = await createFlow(
      await account.addColleague({ teamId: team.id }),
      proceduralFlowFields({ visibility: 'account' }),
    )
    const platformFlowId = await insertPlatformFlow(
      service,
      'maintenance',
      proceduralFlowFields().tree_structure,
    )
    const teamless = await account.addColleague({ teamId: null })
    expect(await createInvalidBatch(engineer, otherFlow.id)).toEqual([400, 'not_own_team'])
    expect(await createInvalidBatch(engineer, platformFlowId)).toEqual([400, 'not_own_team'])
    expect(await createInvalidBatch(teamless, otherFlow.id)).toEqual([400, 'not_own_team'])
  })

  it('SES-12 accepts a target label of 1 to 255 characters and rejects any other length', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin, proceduralFlowFields())
    const targetsWithLabel = (length: number) => [{ label: 'x'.repeat(length), variables: { server: 'srv' } }]
    expect(await createInvalidBatch(admin, id, targetsWithLabel(256))).toEqual([422, undefined])
    expect(await createInvalidBatch(admin, id, targetsWithLabel(0))).toEqual([422, undefined])
    expect(
      (await createBatch(admin, { tree_id: id, targets: targetsWithLabel(255) })).body.sessions[0]
        .target_label,
    ).toHaveLength(255)
    const errorLocation = async (path: string, body: unknown) =>
      (await admin.call('POST', path, body)).body.errors[0].loc
    expect(await errorLocation('/sessions/batch', { tree_id: id, targets: targetsWithLabel(256) })).toEqual([
      'body',
      'targets',
      0,
      'label',
    ])
    expect(await errorLocation('/sessions/prepare', { tree_id: id, target_label: 'x'.repeat(256) })).toEqual([
      'body',
      'target_label',
    ])
  })

  it('SES-34 creates no session when a target is invalid, and returns the index of each invalid target', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin, proceduralFlowFields())
    const targets = [
      ...buildTargets(2),
      { label: 'LAST', variables: { server: 'not a host' } },
      { label: 'NONE' },
    ]
    const { status, body } = await createBatch(admin, { tree_id: id, targets })
    expect([status, body.errors.map(({ loc }: { loc: unknown[] }) => loc)]).toEqual([
      422,
      [2, 3].map((n) => ['body', 'targets', n, 'variables', 'server']),
    ])
    expect(body.errors[0].msg).toMatch(/^LAST: Server: /)
    expect(await countSessions(admin)).toBe(0)
    const large = { label: 'LARGE', variables: { server: 'srv', note: 'é'.repeat(32_760) } }
    expect(await createInvalidBatch(admin, id, [...buildTargets(1), large])).toEqual([422, undefined])
  })

  it('reports the progress of a batch', async () => {
    const account = await createAccount(service)
    const { id: tree_id } = await createFlow(account.admin, proceduralFlowFields())
    const { batch_id, sessions } = (await createBatch(account.admin, { tree_id, targets: buildTargets(3) }))
      .body
    const viewer = await account.addColleague({ role: 'viewer' })
    const getProgress = async () => (await viewer.call('GET', `/sessions/batches/${batch_id}`)).body
    const noOutcomes = { resolved: 0, unresolved: 0, escalated: 0, cancelled: 0 }
    expect(await getProgress()).toEqual({
      batch_id,
      tree_id,
      total: 3,
      percent: 0,
      by_outcome: noOutcomes,
      by_state: { prepared: 3, in_progress: 0, completed: 0, abandoned: 0 },
    })
    const [first, second, third] = sessions.map(({ id }: { id: string }) => `/sessions/${id}`)
    await answerStep(account.admin, (await account.admin.call('POST', `${first}/start`)).body, 'done')
    await account.admin.call('POST', `${first}/complete`, { outcome: 'resolved' })
    await account.admin.call('PATCH', second, { state: 'abandoned' })
    expect(await getProgress()).toMatchObject({
      total: 3,
      percent: 66,
      by_outcome: { ...noOutcomes, resolved: 1 },
      by_state: { prepared: 1, in_progress: 0, completed: 1, abandoned: 1 },
    })
    await account.admin.call('DELETE', third)
    expect(await getProgress()).toMatchObject({ total: 2, percent: 100 })
    const otherAccount = await createAccount(service)
    expectStatus(await otherAccount.admin.call('GET', `/sessions/batches/${batch_id}`), 404)
  })
})
