import { afterAll, describe, expect, it } from 'vitest'
import { EscalationEvents } from '#functions/ai/escalations/schemas.ts'
import { createAiSession } from '#test/support/ai.ts'
import { createKey } from '#test/support/api-keys.ts'
import { authorizationHeader, dashboard, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService()
const { setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())
const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()
const async = { prefer: 'respond-async' }

async function createScene(session_type = 'chat') {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const session = await createAiSession(owner, { session_type })
  const path = `/ai-sessions/${session.id}`
  const listRoles = async () =>
    (await owner.call('GET', `${path}/messages`)).body.map(({ role }: { role: string }) => role)
  return { account, owner, session, path, listRoles }
}
const getTask = async (person: Person, id: string) => (await person.call('GET', `/ai/tasks/${id}`)).body
const listTasks = async (person: Person) => (await person.call('GET', '/ai/tasks')).body

/** Send a request whose client disconnects after 100 ms, when the model has not answered yet. */
async function leave(
  person: Person,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<void> {
  const leaving = new AbortController()
  const request = fetch(`${service.api}/api/v1${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...authorizationHeader(person.token), ...headers },
    signal: leaving.signal,
  }).then((response) => response.text())
  setTimeout(() => leaving.abort(), 100)
  await expect(request).rejects.toThrow()
}

/** Store a task like a request whose process stopped before the answer. */
async function insertTask(
  { id: userId, accountId, signInId }: Person,
  path: string,
  body: object,
): Promise<string> {
  const [row] = await service.sql<{ id: string }>(
    `insert into ai_tasks (account_id, user_id, sign_in_id, operation, path, body, next_attempt_at)
     values ($1, $2, $3, 'ai.turns.sendMessage', $4, $5, app.now() - interval '10 s') returning id`,
    [accountId, userId, signInId, path, JSON.stringify(body)],
  )
  return row?.id ?? ''
}

describe('Prefer: respond-async', () => {
  it('AIT-01 answers 202 with the address of a task, which has the answer when it has finished', async () => {
    const { owner, path, listRoles } = await createScene()
    const accepted = await owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' }, async)
    expect([accepted.status, accepted.headers.get('preference-applied'), accepted.body.state]).toEqual([
      202,
      'respond-async',
      'queued',
    ])
    expect(accepted.headers.get('location')).toBe(`/api/v1/ai/tasks/${accepted.body.task_id}`)
    await waitUntilSettled()
    const task = await getTask(owner, accepted.body.task_id)
    expect(task).toMatchObject({
      operation: 'ai.turns.sendMessage',
      state: 'finished',
      attempts: 1,
      response_status: 200,
    })
    expect(task.response.message).toMatchObject({ role: 'assistant', content: expect.any(String) })
    expect(await listRoles()).toEqual(['user', 'assistant'])
    expect(await listTasks(owner)).toMatchObject([{ id: task.id, state: 'finished' }])
  })

  it('sends the event that the stream declares when a job has finished a task', async () => {
    const { account, owner, path } = await createScene()
    const stream = await openEscalationStream(service, account.admin)
    const { body } = await owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' }, async)
    const listFinished = () => stream.events().filter(({ event }) => event !== 'job_progressed')
    await expect.poll(() => listFinished().length, { timeout: 30_000, interval: 20 }).toBe(1)
    const [{ event, data } = {}] = listFinished()
    expect([event, data]).toEqual([
      'ai_task_finished',
      { task_id: body.task_id, user_id: owner.id, operation: 'ai.turns.sendMessage', status: 200 },
    ])
    expect(EscalationEvents.ai_task_finished.safeParse(data).error).toBeUndefined()
    stream.disconnect()
  })

  it('AIT-01 refuses an invalid request, and one of another role, at once', async () => {
    const { account, owner, path } = await createScene()
    expectStatus(await owner.call('POST', `${path}/chat`, { message: '' }, async), 422)
    const viewer = await account.addColleague({ role: 'viewer' })
    expectStatus(await viewer.call('POST', `${path}/chat`, { message: 'Hello' }, async), 403)
    expect([await listTasks(owner), await listTasks(viewer)]).toEqual([[], []])
  })

  it('AIT-02 accepts one task for 32 requests with one idempotency key', async () => {
    const { owner, path, listRoles } = await createScene()
    const send = () =>
      owner.call(
        'POST',
        `${path}/chat`,
        { message: 'The printer is offline.' },
        { ...async, 'idempotency-key': 'one' },
      )
    await runConcurrently(send)
    await waitUntilSettled()
    expect([(await listTasks(owner)).length, await listRoles()]).toEqual([1, ['user', 'assistant']])
  })

  it('AIT-02 answers a task once when 32 workers receive its message', async () => {
    const { owner, path, listRoles } = await createScene()
    await setFault({ service: 'qstash', mode: 'down' })
    const { body } = await owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' }, async)
    await clearFaults()
    await runConcurrently(() =>
      postSignedJob(service, '/jobs/ai/task', { task_id: body.task_id, attempt: 1 }),
    )
    await waitUntilSettled()
    expect([(await getTask(owner, body.task_id)).attempts, await listRoles()]).toEqual([
      1,
      ['user', 'assistant'],
    ])
  })

  it('AIT-03 keeps an error of the model as the answer of a task', async () => {
    const { owner, path } = await createScene()
    await setFault({ service: 'openai', mode: 'client_error' })
    const { body } = await owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' }, async)
    await waitUntilSettled()
    await clearFaults()
    expect(await getTask(owner, body.task_id)).toMatchObject({
      state: 'finished',
      attempts: 1,
      response_status: 502,
      response: { code: 'ai_provider_error' },
    })
  })

  it('AIT-04 answers 401 to a task whose sign-in has ended, and stores nothing', async () => {
    const { owner, path } = await createScene()
    await setFault({ service: 'qstash', mode: 'down' })
    const { body } = await owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' }, async)
    await clearFaults()
    await service.sql('update sign_ins set ended_at = app.now() where id = $1', [owner.signInId])
    await advanceClock(70)
    const [row] = await service.sql('select state, response_status, body from ai_tasks where id = $1', [
      body.task_id,
    ])
    expect(row).toEqual({ state: 'finished', response_status: 401, body: '' })
  })

  it('AIT-09 accepts at most 20 open tasks of a person, also from 32 requests at once', async () => {
    const { account, owner, path } = await createScene()
    for (let n = 0; n < 12; n++)
      await insertTask(owner, `${path}/chat`, { message: 'The printer is offline.' })
    // No sweep takes them before the requests are sent.
    await service.sql(
      `update ai_tasks set next_attempt_at = app.now() + interval '1 hour' where user_id = $1`,
      [owner.id],
    )
    await setFault({ service: 'qstash', mode: 'down' })
    const send = (person: Person) =>
      person.call('POST', `${path}/chat`, { message: 'The printer is offline.' }, async)
    const responses = await runConcurrently(() => send(owner))
    expect(countByStatus(responses)).toEqual({ 202: 8, 409: 12, 429: 12 })
    expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'limit_reached',
      resource: 'tasks',
      limit: 20,
    })
    expectStatus(await send(account.admin), 202)
    await clearFaults()
    await service.sql(`update ai_tasks set state = 'failed' where account_id = $1`, [account.id])
    await waitUntilSettled()
  })

  it('KEY-12 runs a task of a key as the key, from whatever address the job comes', async () => {
    const { account } = await createScene()
    const key = await createKey(service, account, { scopes: ['ai:write'], allowed_ranges: ['127.0.0.1'] })
    const session = await createAiSession(key, { session_type: 'chat' })
    const { body } = expectStatus(
      await key.call(
        'POST',
        `/ai-sessions/${session.id}/chat`,
        { message: 'The printer is offline.' },
        async,
      ),
      202,
    )
    await waitUntilSettled()
    expect(await getTask(key, body.task_id)).toMatchObject({ state: 'finished', response_status: 200 })
  })

  it('KEY-12 answers 401 in a task whose key was revoked meanwhile', async () => {
    const { account } = await createScene()
    const key = await createKey(service, account, { scopes: ['ai:write'] })
    const session = await createAiSession(key, { session_type: 'chat' })
    await setFault({ service: 'qstash', mode: 'down' })
    const { body } = await key.call(
      'POST',
      `/ai-sessions/${session.id}/chat`,
      { message: 'The printer is offline.' },
      async,
    )
    await clearFaults()
    expectStatus(await account.admin.call('DELETE', `/api-keys/${key.id}`), 204)
    await postSignedJob(service, '/jobs/ai/task', { task_id: body.task_id, attempt: 1 })
    await waitUntilSettled()
    expect(await service.sql('select response_status from ai_tasks where id = $1', [body.task_id])).toEqual([
      { response_status: 401 },
    ])
  })

  it('AIT-05 shows a task to its person only', async () => {
    const { account, owner, path } = await createScene()
    const { body } = await owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' }, async)
    expectStatus(await account.admin.call('GET', `/ai/tasks/${body.task_id}`), 404)
    expect(await listTasks(account.admin)).toEqual([])
    await waitUntilSettled()
  })
})

describe('a client that disconnects', () => {
  it('AIT-06 finds the answer in a task when the request continued to its end', async () => {
    const { owner, path, listRoles } = await createScene()
    await setFault({ service: 'openai', mode: 'slow', delay_ms: 2500, times: 1 })
    await leave(owner, `${path}/chat`, { message: 'The printer is offline.' })
    await expect.poll(async () => (await listTasks(owner))[0]?.state, { timeout: 8000 }).toBe('finished')
    const [{ id }] = await listTasks(owner)
    expect((await getTask(owner, id)).response.message.role).toBe('assistant')
    await advanceClock(120)
    expect(await listRoles()).toEqual(['user', 'assistant'])
  })

  it('AIT-06 finds the answer of a stream too', async () => {
    const { owner, path, listRoles } = await createScene()
    await setFault({ service: 'openai', mode: 'slow', delay_ms: 2500, times: 1 })
    await leave(
      owner,
      `${path}/chat`,
      { message: 'The printer is offline.' },
      { accept: 'text/event-stream' },
    )
    await expect.poll(async () => (await listTasks(owner))[0]?.state, { timeout: 8000 }).toBe('finished')
    expect(await listRoles()).toEqual(['user', 'assistant'])
  })

  it('AIT-07 gets the answer from a job when the request was stopped, without a second message', async () => {
    const { owner, session, path, listRoles } = await createScene()
    const id = await insertTask(owner, `${path}/chat`, { message: 'The printer is offline.' })
    await service.sql(
      `insert into ai_messages (id, account_id, session_id, branch_id, role, content, author_id)
       select $1, s.account_id, s.id, s.active_branch_id, 'user', 'The printer is offline.', s.user_id from ai_sessions s where s.id = $2`,
      [id, session.id],
    )
    await service.stack.runCron()
    await waitUntilSettled()
    expect([(await getTask(owner, id)).response_status, await listRoles()]).toEqual([
      200,
      ['user', 'assistant'],
    ])
  })

  it('AIT-07 gets the stored reply when only the task was not finished', async () => {
    const { owner, path, listRoles } = await createScene()
    const { body } = await owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' })
    const [{ id: messageId }] = (await owner.call('GET', `${path}/messages`)).body
    const task = await insertTask(owner, `${path}/chat`, { message: 'The printer is offline.' })
    await service.sql('update ai_tasks set id = $2 where id = $1', [task, messageId])
    await service.stack.runCron()
    await waitUntilSettled()
    expect([(await getTask(owner, messageId)).response.message, await listRoles()]).toEqual([
      body.message,
      ['user', 'assistant'],
    ])
  })

  it('AIT-07 gets the next step of a guided session when its response was stored already', async () => {
    const { owner, session, path } = await createScene('guided')
    const [step] = session.steps
    const id = await insertTask(owner, `${path}/respond`, { response: 'It is on', step_id: step.step_id })
    await service.sql('update ai_steps set response = $2, answer_work_id = $3 where id = $1', [
      step.step_id,
      'It is on',
      id,
    ])
    await service.stack.runCron()
    await waitUntilSettled()
    expect([
      (await getTask(owner, id)).response_status,
      (await owner.call('GET', path)).body.steps.length,
    ]).toEqual([200, 2])
  })

  it('AIT-06 AIT-10 stores a request that takes longer than two seconds, shows its progress, and stores its answer', async () => {
    const { account, owner, path } = await createScene()
    const stream = await openEscalationStream(service, account.admin)
    const listProgress = () =>
      stream
        .events()
        .flatMap(({ data: { kind, phase, done, total } }) => (kind ? [{ phase, done, total }] : []))
    await setFault({ service: 'openai', mode: 'slow', delay_ms: 4000, times: 1 })
    const answer = owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' })
    await expect.poll(listProgress, { timeout: 3500 }).toEqual([{ phase: 'asking', done: 0, total: 1 }])
    expect(await listTasks(owner)).toMatchObject([
      { state: 'queued', progress: { phase: 'asking', done: 0, total: 1 } },
    ])
    const { body } = await answer
    await expect.poll(() => listProgress().at(-1)).toEqual({ phase: 'finished', done: 1, total: 1 })
    const tasks = await listTasks(owner)
    expect(tasks).toMatchObject([{ state: 'finished', progress: { phase: 'finished', done: 1, total: 1 } }])
    expect(await getTask(owner, tasks[0].id)).toMatchObject({ response_status: 200, response: body })
    stream.disconnect()
  })

  it('AIT-10 counts the calls of an answer whose progress could not be stored', async () => {
    const { owner, path } = await createScene()
    await service.sql(
      `create function refuse_progress() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    )
    await service.sql(`create trigger refuse_progress before update on ai_tasks for each row
      when (new.state = 'queued' and new.calls_started > old.calls_started) execute function refuse_progress()`)
    await setFault({ service: 'openai', mode: 'slow', delay_ms: 500, times: 1 })
    await leave(owner, `${path}/chat`, { message: 'The printer is offline.' })
    await expect.poll(async () => (await listTasks(owner))[0]?.state).toBe('finished')
    await service.sql('drop function refuse_progress cascade')
    expect((await listTasks(owner))[0].progress).toEqual({ phase: 'finished', done: 1, total: 1 })
  })

  it('AIT-10 sends no progress of a request that is not stored, because its person has 20 open tasks', async () => {
    const { account, owner, path, listRoles } = await createScene()
    for (let n = 0; n < 20; n++)
      await insertTask(owner, `${path}/chat`, { message: 'The printer is offline.' })
    await service.sql(
      `update ai_tasks set next_attempt_at = app.now() + interval '1 hour' where user_id = $1`,
      [owner.id],
    )
    const stream = await openEscalationStream(service, account.admin)
    await setFault({ service: 'openai', mode: 'slow', delay_ms: 500, times: 1 })
    await leave(owner, `${path}/chat`, { message: 'The printer is offline.' })
    await expect.poll(listRoles).toEqual(['user', 'assistant'])
    await waitUntilSettled()
    // The events of a task arrive in order, so those of another one come last.
    await service.sql(`update ai_tasks set state = 'failed' where user_id = $1`, [owner.id])
    const { body } = await owner.call('POST', `${path}/chat`, { message: 'It is on.' }, async)
    const listIds = () =>
      stream.events().flatMap(({ event, data }) => (event === 'job_progressed' ? [data.id] : []))
    await expect.poll(() => listIds().length, { timeout: 30_000 }).toBeGreaterThan(1)
    expect(new Set(listIds())).toEqual(new Set([body.task_id]))
    stream.disconnect()
  })

  it('AIT-08 stores no task for an answer within two seconds to a caller who stays', async () => {
    const { owner, path } = await createScene()
    expectStatus(await owner.call('POST', `${path}/chat`, { message: 'The printer is offline.' }), 200)
    expect(await listTasks(owner)).toEqual([])
  })
})
