import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { EscalationEvents } from '#functions/ai/escalations/schemas.ts'
import { buildStructure, flattenStructure } from '#rules/flows/flat-nodes.ts'
import { createKey } from '#test/support/api-keys.ts'
import { sharedService } from '#test/support/app.ts'
import { createGatedScene, createGatedSession, procedureWithApproval } from '#test/support/approvals.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, flowBody } from '#test/support/flows.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()
const pollOptions = { timeout: 30_000, interval: 20 }

const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const expire = (id: string) =>
  service.sql(`update approvals set expires_at = app.now() - interval '1 second' where id = $1`, [id])
const listTitles = async (person: Person) =>
  (await person.call('GET', '/notifications')).body.map(({ title }: { title: string }) =>
    title.replace(/ ".*/, ''),
  )

describe('a step that needs an approval', () => {
  it('APR-01 waits: no answer counts, not even one that skips it, until a colleague has approved', async () => {
    const { session, runner, admin, answer, request, decide } = await createGatedScene(service)
    expect(session.current_step.approval).toEqual({ roles: ['account_admin'] })
    for (const outcome of ['done', 'skipped', 'failed']) {
      const refused = await answer(runner, { outcome })
      expect([...codeOf(refused), refused.body.approval]).toEqual([409, 'approval_required', null])
    }
    const { status, body: requested } = await request(runner, { comment: 'The client agreed' })
    expect([status, requested.state, requested.title, requested.may_decide]).toEqual([
      201,
      'pending',
      'Take a snapshot of srv-dc-01',
      false,
    ])
    expect((await answer()).body).toMatchObject({
      code: 'approval_required',
      approval: { id: requested.id, state: 'pending' },
    })
    expect((await runner.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
    const approved = await decide(admin, requested.id)
    expect([approved.status, approved.body.state, approved.body.decided_by]).toEqual([
      200,
      'approved',
      admin.id,
    ])
    const answered = await answer()
    expect([answered.status, answered.body.current_step_id]).toEqual([201, 'patch'])
    const { body: approvals } = await runner.call('GET', `/sessions/${session.id}/approvals`)
    const { text: note } = await runner.call('GET', `/sessions/${session.id}/export?format=ticket-note`)
    expect(note).toContain(`Approved by ${admin.fullName}`)
    expect(approvals).toMatchObject([
      { id: requested.id, state: 'used', comment: 'The client agreed', decided_by_name: admin.fullName },
    ])
  })

  it('APR-09 is listed without its text, which is read one by one and only in its account', async () => {
    const { session, admin, request } = await createGatedScene(service)
    const { body: requested } = await request()
    const path = `/sessions/${session.id}/approvals`
    for (const list of ['/approvals', path]) {
      const { body } = await admin.call('GET', list)
      expect(body).toMatchObject([{ id: requested.id, may_decide: true }])
      expect(body[0]).not.toHaveProperty('subject')
    }
    const { body: approval } = await admin.call('GET', `${path}/${requested.id}`)
    expect(approval).toMatchObject({ id: requested.id, subject: requested.subject, may_decide: true })
    const { admin: stranger } = await createAccount(service)
    expect((await stranger.call('GET', `${path}/${requested.id}`)).status).toBe(404)
  })

  it('APR-02 cannot be approved by its runner, by whoever requested it, or by an API key', async () => {
    const account = await createAccount(service)
    const [second, third] = [
      await account.addColleague({ role: 'admin' }),
      await account.addColleague({ role: 'admin' }),
    ]
    const session = await createGatedSession(account.admin)
    const path = `/sessions/${session.id}/approvals`
    const { id } = (await second.call('POST', path)).body
    const approve = (person: Person) => person.call('POST', `${path}/${id}/approve`, {})
    for (const person of [account.admin, second])
      expect(codeOf(await approve(person))).toEqual([403, undefined])
    expect(codeOf(await approve(await createKey(service, account)))).toEqual([403, 'closed_to_keys'])
    expect((await approve(third)).body.state).toBe('approved')
  })

  it('APR-02 is not answered by the admin who approved it', async () => {
    const { admin, answer, request, decide } = await createGatedScene(service)
    await decide(admin, (await request()).body.id)
    expect(codeOf(await answer(admin))).toEqual([409, 'approval_required'])
    expect((await answer()).status).toBe(201)
  })

  it('APR-03 is approved by the roles and persons that it names, as they are at the time of the decision', async () => {
    const account = await createAccount(service)
    const [named, other, teamAdmin] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague({ teamRole: 'admin' }),
    ]
    const night = await account.admin.client.accounts.teams.create({ name: 'Night shift' })
    const otherAdmin = await account.addColleague({ teamId: night.id, teamRole: 'admin' })
    const runner = await account.addColleague()
    const cases = [
      [{ user_ids: [named.id] }, [named], [other, teamAdmin, account.admin]],
      [{ roles: ['team_admin'] }, [teamAdmin], [named, otherAdmin]],
      [{ roles: ['engineer'] }, [other], []],
    ] as const
    for (const [approval, permitted, refused] of cases) {
      const { id: sessionId } = await createGatedSession(runner, approval)
      const { id } = (await runner.call('POST', `/sessions/${sessionId}/approvals`)).body
      const decide = (person: Person) =>
        person.call('POST', `/sessions/${sessionId}/approvals/${id}/approve`, {})
      for (const person of refused) expect((await decide(person)).status).toBe(403)
      for (const person of permitted) expect((await decide(person)).status).toBe(200)
    }
  })

  it('APR-03 is not approved by somebody who lost the role after the request', async () => {
    const { admin, addColleague, request, decide } = await createGatedScene(service)
    const second = await addColleague({ role: 'admin' })
    const { id } = (await request()).body
    await admin.call('PATCH', `/accounts/me/members/${second.id}`, { role: 'engineer' })
    await service.sql(`update users set role = 'engineer' where id = $1`, [second.id])
    expect((await decide(second, id)).status).toBe(403)
    expect((await second.call('GET', '/approvals')).body).toEqual([])
    expect((await admin.call('GET', '/approvals')).body).toMatchObject([{ id, may_decide: true }])
  })

  it('APR-04 counts one of 32 decisions that arrive at once', async () => {
    const { addColleague, request, decide } = await createGatedScene(service, { roles: ['engineer'] })
    const people = await Promise.all(Array.from({ length: 8 }, () => addColleague()))
    const { id } = (await request()).body
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, n) => decide(people[n % 8] as Person, id, n % 2 ? 'approve' : 'reject')),
    )
    const statuses = answers.map(({ status }) => status)
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 409).length,
    ]).toEqual([1, 31])
    expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
      new Set(['already_decided']),
    )
  })

  it('APR-14 refuses a second request while the first one is being approved', async () => {
    const { admin, request, runner } = await createGatedScene(service)
    const { body: first } = await request(runner)
    const connection = new pg.Client(service.ownerUrl)
    await connection.connect()
    try {
      await connection.query('begin')
      await connection.query(
        `update approvals set state = 'approved', decided_by = $2, decided_at = app.now() where id = $1`,
        [...[first.id, admin.id]],
      )
      const second = request(runner)
      const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
      const isWaiting = 'select 1 from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
      await expect.poll(() => service.sql(isWaiting, [rows[0]?.pid]), pollOptions).toHaveLength(1)
      await connection.query('commit')
      expect(codeOf(await second)).toEqual([409, 'already_pending'])
    } finally {
      await connection.end()
    }
  })

  it('APR-04 uses an approval up: 32 answers at once count once', async () => {
    const { admin, runner, session, answer, request, decide } = await createGatedScene(service)
    await decide(admin, (await request()).body.id)
    const answers = await Promise.all(Array.from({ length: 32 }, () => answer()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    await runner.call('DELETE', `/sessions/${session.id}/decisions/last`)
    expect(codeOf(await answer())).toEqual([409, 'approval_required'])
  })

  it('APR-05 needs another approval when a variable changes its text', async () => {
    const { admin, runner, session, answer, request, decide } = await createGatedScene(service)
    const first = (await request()).body
    await decide(admin, first.id)
    await runner.call('PATCH', `/sessions/${session.id}/variables`, { server: 'srv-dc-02' })
    expect(codeOf(await answer())).toEqual([409, 'approval_required'])
    const second = await request()
    expect([second.status, second.body.title]).toEqual([201, 'Take a snapshot of srv-dc-02'])
    const { body } = await runner.call('GET', `/sessions/${session.id}/approvals`)
    expect(body.map(({ state }: { state: string }) => state)).toEqual(['pending', 'voided'])
  })

  it('APR-05 voids an approval when the session moves back, is abandoned or completed', async () => {
    const { runner, session, request, decide, admin } = await createGatedScene(service)
    const path = `/sessions/${session.id}`
    const approvalOf = async () => (await runner.call('GET', `${path}/approvals`)).body[0].state
    const { id } = (await request()).body
    await runner.call('PATCH', path, { state: 'abandoned' })
    expect([await approvalOf(), codeOf(await decide(admin, id))]).toEqual(['voided', [409, 'wrong_state']])
    const other = await createGatedSession(runner)
    await runner.call('POST', `/sessions/${other.id}/approvals`)
    await runner.call('POST', `/sessions/${other.id}/complete`, { outcome: 'cancelled' })
    expect((await runner.call('GET', `/sessions/${other.id}/approvals`)).body).toMatchObject([
      { state: 'voided' },
    ])
  })

  it('APR-06 expires once: neither a late decision nor a late answer counts, and the technician is notified once', async () => {
    const { admin, runner, answer, request, decide } = await createGatedScene(service, {
      roles: ['account_admin'],
      expires_after_minutes: 5,
    })
    const first = (await request()).body
    expect(Date.parse(first.expires_at) - Date.parse(first.requested_at)).toBe(300_000)
    await expire(first.id)
    expect((await admin.call('GET', '/approvals')).body).toEqual([])
    expect(codeOf(await decide(admin, first.id))).toEqual([409, 'wrong_state'])
    await Promise.all(Array.from({ length: 4 }, () => postSignedJob(service, '/jobs/notifications/sweep')))
    expect(await listTitles(runner)).toEqual(['Nobody decided in time: Take a snapshot of srv-dc-01'])
    const second = (await request()).body
    await decide(admin, second.id)
    await expire(second.id)
    expect((await answer()).body).toMatchObject({
      code: 'approval_required',
      approval: { id: second.id, state: 'expired' },
    })
    expect((await request()).status).toBe(201)
  })

  it('APR-06 ends when nobody is left to decide it, and its technicians are notified', async () => {
    const { admin, runner, request, addColleague } = await createGatedScene(service, { roles: ['engineer'] })
    const approver = await addColleague()
    // The admin has requested it, so only the engineer may decide.
    expectStatus(await request(admin), 201)
    await postSignedJob(service, '/jobs/notifications/sweep')
    expect(await listTitles(runner)).toEqual([])
    await admin.call('PATCH', `/accounts/me/members/${approver.id}`, { role: 'viewer' })
    await Promise.all(Array.from({ length: 4 }, () => postSignedJob(service, '/jobs/notifications/sweep')))
    for (const person of [admin, runner])
      expect(await listTitles(person)).toContain('Nobody is left to decide: Take a snapshot of srv-dc-01')
    expect((await request(admin)).body).toMatchObject({ code: 'no_approver' })
    expect((await runner.call('GET', '/notifications')).body).toHaveLength(1)
  })

  it('APR-06 is withdrawn by whoever requested it or runs the session, by nobody else and once', async () => {
    const { admin, session, runner, request, addColleague } = await createGatedScene(service)
    const other = await addColleague({ role: 'admin' })
    for (const person of [admin, runner]) {
      const { id } = (await request(person)).body
      const withdraw = (by: Person) => by.call('POST', `/sessions/${session.id}/approvals/${id}/withdraw`)
      expect((await withdraw(other)).status).toBe(403)
      expect(expectStatus(await withdraw(runner), 200).body).toMatchObject({ id, state: 'voided' })
      expect(codeOf(await withdraw(runner))).toEqual([409, 'wrong_state'])
    }
  })

  it('APR-07 notifies the approvers and then the technician, in the app, by e-mail and through webhooks', async () => {
    const { id: accountId, admin, runner, request, decide } = await createGatedScene(service)
    const url = `${service.localOrigin}/hooks/approvals`
    await admin.call('POST', '/webhooks', { url, events: ['approval.requested', 'approval.decided'] })
    const { id } = (await request()).body
    await decide(admin, id, 'reject')
    expect([await listTitles(admin), await listTitles(runner)]).toEqual([
      [`${runner.fullName} asks for your approval: Take a snapshot of srv-dc-01`],
      [`${admin.fullName} rejected: Take a snapshot of srv-dc-01`],
    ])
    const select = (text: string) => service.sql<Record<string, string>>(text, [accountId])
    expect(
      await select(
        `select recipient from deliveries where account_id = $1 and event_key = 'approval.requested'`,
      ),
    ).toEqual([{ recipient: admin.email }])
    expect(await select('select type from webhook_deliveries where account_id = $1 order by id')).toEqual([
      { type: 'approval.requested' },
      { type: 'approval.decided' },
    ])
  })

  it('APR-07 writes an audit entry per request and decision, without the texts', async () => {
    const { id: accountId, admin, runner, request, decide } = await createGatedScene(service)
    await decide(admin, (await request(runner, { comment: 'Secret plan' })).body.id)
    const rows = await service.sql(
      `select action, actor_id, changes from audit_logs where account_id = $1 and resource_type = 'approval' order by id`,
      [accountId],
    )
    expect(rows).toMatchObject([
      {
        action: 'approval.created',
        actor_id: runner.id,
        changes: { title: '[redacted]', comment: '[redacted]' },
      },
      {
        action: 'approval.updated',
        actor_id: admin.id,
        changes: { state: { from: 'pending', to: 'approved' } },
      },
    ])
    expect(JSON.stringify(rows)).not.toContain('Secret plan')
  })

  it('APR-08 refuses a request that nobody can decide, a second one, one for an approved step, and one for a step that needs none', async () => {
    const { admin, session, request, decide } = await createGatedScene(service)
    const { body: requested } = expectStatus(await request(), 201)
    expect(codeOf(await request())).toEqual([409, 'already_pending'])
    const own = await createGatedSession(admin)
    expect(codeOf(await admin.call('POST', `/sessions/${own.id}/approvals`))).toEqual([409, 'no_approver'])
    expect((await admin.call('GET', `/sessions/${own.id}/approvals`)).body).toEqual([])
    await decide(admin, requested.id)
    expect(codeOf(await request())).toEqual([409, 'already_decided'])
    const open = await createGatedSession(admin, null)
    expect(codeOf(await admin.call('POST', `/sessions/${open.id}/approvals`))).toEqual([409, 'wrong_state'])
    expect(session.state).toBe('in_progress')
  })

  it('APR-10 shows approvers the characters with which a variable could turn the text around', async () => {
    const runner = await (await createAccount(service)).addColleague()
    const procedure = procedureWithApproval({ roles: ['account_admin'] })
    Object.assign(procedure.steps[1] as object, {
      title: 'Stop {{server}}',
      description: 'Stop {{server}}\u2069, not {{server}}',
    })
    const fields = proceduralFlowFields({
      tree_structure: procedure,
      intake_form: [{ key: 'server', label: 'Server', type: 'text' }],
    })
    const { id } = await createSession(runner, { variables: { server: '\u202e10-vrs' } }, fields)
    const { body } = await runner.call('POST', `/sessions/${id}/approvals`)
    expect([body.title, body.subject]).toEqual([
      'Stop <U+202E>10-vrs',
      'Stop <U+202E>10-vrs<U+2069>, not <U+202E>10-vrs',
    ])
  })

  it('SES-60 shows an approver a value as it was typed, and the technician as escaped markdown', async () => {
    const runner = await (await createAccount(service)).addColleague()
    const procedure = procedureWithApproval({ roles: ['account_admin'] })
    Object.assign(procedure.steps[1] as object, { description: 'Delete {{server}}.' })
    const fields = proceduralFlowFields({
      tree_structure: procedure,
      intake_form: [{ key: 'server', label: 'Server', type: 'text' }],
    })
    const path = 'C:\\.cache\\[old]\\!x'
    const { id } = await createSession(runner, { variables: { server: path } }, fields)
    const { body } = await runner.call('POST', `/sessions/${id}/approvals`)
    expect(body.subject).toBe(`Delete ${path}.`)
    expect((await runner.call('GET', `/sessions/${id}`)).body.current_step.description).toBe(
      'Delete C:&#92;.cache&#92;&#91;old&#93;&#92;!x.',
    )
  })

  it('APR-10 refuses a request for a text that variables make too long to read', async () => {
    const runner = await (await createAccount(service)).addColleague()
    const texts = [
      ['approval_title', { title: '{{server}}' }, 1000],
      ['approval_text', { title: 'Restart', description: '{{server}}'.repeat(50) }, 400_000 / 50],
    ] as const
    for (const [resource, text, maxLength] of texts) {
      const procedure = procedureWithApproval({ roles: ['account_admin'] })
      Object.assign(procedure.steps[1] as object, text)
      const fields = proceduralFlowFields({
        tree_structure: procedure,
        intake_form: [{ key: 'server', label: 'Server', type: 'textarea' }],
      })
      const { id } = await createSession(runner, { variables: { server: 'x'.repeat(maxLength + 1) } }, fields)
      const { status, body } = await runner.call('POST', `/sessions/${id}/approvals`)
      expect([status, body.code, body.resource]).toEqual([409, 'limit_reached', resource])
      expectStatus(
        await runner.call('PATCH', `/sessions/${id}/variables`, { server: 'x'.repeat(maxLength) }),
        200,
      )
      expectStatus(await runner.call('POST', `/sessions/${id}/approvals`), 201)
    }
  })

  it('APR-08 shows nothing to a member of another account', async () => {
    const { request, decide } = await createGatedScene(service, { roles: ['engineer'] })
    const { admin: stranger } = await createAccount(service)
    const { id } = (await request()).body
    expect((await stranger.call('GET', '/approvals')).body).toEqual([])
    expect((await decide(stranger, id)).status).toBe(404)
  })

  it('FLO-62 cannot be published without an approver, or on a heading', async () => {
    const { admin } = await createAccount(service)
    const structure = procedureWithApproval({ roles: [], expires_after_minutes: 5 })
    Object.assign(structure.steps[0] as object, { approval: { roles: ['engineer'] } })
    const { status, body } = await admin.call(
      'POST',
      '/trees',
      flowBody(proceduralFlowFields({ tree_structure: structure })),
    )
    expect([status, body.errors.map(({ message }: { message: string }) => message)]).toEqual([
      400,
      [
        'Only a step that is answered can require an approval',
        'The approval needs at least one role or person',
      ],
    ])
  })

  it('FLO-62 survives a fork', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(
      admin,
      proceduralFlowFields({ tree_structure: procedureWithApproval({ roles: ['engineer'] }) }),
    )
    expect((await admin.client.flows.forks.create({ tree_id: flow.id })).tree_structure).toEqual(
      flow.tree_structure,
    )
  })

  it('FLO-62 survives a rewrite by the model, which does not see it', () => {
    const approval = { roles: ['engineer'] }
    const structure = procedureWithApproval(approval) as Parameters<typeof flattenStructure>[0]
    const rewritten = buildStructure('procedural', flattenStructure(structure), structure)
    expect('structure' in rewritten && rewritten.structure).toMatchObject({
      steps: [{}, { approval }, {}, {}],
    })
  })

  it('FLO-62 survives the markdown form', async () => {
    const { admin } = await createAccount(service)
    const approval = { roles: ['engineer', 'account_admin'], user_ids: [admin.id], expires_after_minutes: 30 }
    const { body: flow } = await admin.call(
      'POST',
      '/trees',
      flowBody(proceduralFlowFields({ tree_structure: procedureWithApproval(approval) })),
    )
    const { text } = await admin.call('GET', `/trees/${flow.id}/export/markdown`)
    expect(text).toContain(`\nApproval: engineer account_admin ${admin.id} minutes=30\n`)
    const imported = await admin.call('POST', '/trees/import/markdown', { markdown: text })
    expect((await admin.call('GET', `/trees/${imported.body.tree_id}`)).body.tree_structure).toEqual(
      flow.tree_structure,
    )
  })
})

it('APR-07 sends each new state of an approval to the open streams, as the event is declared', async () => {
  const { admin, runner, session, request, decide } = await createGatedScene(service)
  const stream = await openEscalationStream(service, admin)
  await expect.poll(() => stream.text(), pollOptions).toContain('connected')
  const rejected = (await request()).body.id
  await decide(admin, rejected, 'reject')
  const expired = (await request()).body.id
  await expire(expired)
  await postSignedJob(service, '/jobs/notifications/sweep')
  const approved = (await request()).body.id
  await decide(admin, approved)
  const fields = { session_id: session.id, requested_by: runner.id }
  await expect
    .poll(() => stream.events('approval_changed').map(({ data }) => data), pollOptions)
    .toEqual([
      { ...fields, approval_id: rejected, state: 'pending', approver_ids: [admin.id] },
      { ...fields, approval_id: rejected, state: 'rejected', approver_ids: [] },
      { ...fields, approval_id: expired, state: 'pending', approver_ids: [admin.id] },
      { ...fields, approval_id: expired, state: 'expired', approver_ids: [] },
      { ...fields, approval_id: approved, state: 'pending', approver_ids: [admin.id] },
      { ...fields, approval_id: approved, state: 'approved', approver_ids: [] },
    ])
  stream.disconnect()
})

it('APR-07 the stream declares the event of an approval', () => {
  const data = {
    approval_id: crypto.randomUUID(),
    session_id: crypto.randomUUID(),
    state: 'pending',
    requested_by: crypto.randomUUID(),
  }
  expect(EscalationEvents.approval_changed.safeParse({ ...data, approver_ids: [] }).error).toBeUndefined()
})
