import { describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { modelName } from '#local/model/model.ts'
import { createRequestSetup } from '#test/contract/request-setup.ts'
import { send } from '#test/contract/requests.ts'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()

/** Put an account on a plan of its own with this AI budget in micro-dollars. */
async function setBudget(accountId: string, micros: number | null): Promise<void> {
  const plan = `b${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
  await service.sql('insert into plan_limits (plan, max_ai_cost_micros_per_month) values ($1, $2)', [
    plan,
    micros,
  ])
  await service.sql('insert into plan_features select $1, key, true from features', [plan])
  await service.sql(
    `update accounts set plan = $2, subscription_status = 'active', trial_ends_at = null where id = $1`,
    [accountId, plan],
  )
}

const chat = async (person: Person, message = 'Nothing prints since this morning.') => {
  const { id } = await createAiSession(person)
  return person.call('POST', `/ai-sessions/${id}/chat`, { message })
}
const readUsage = async (person: Person) => person.client.ai.usage.get()
const listCalls = (accountId: string) =>
  service.sql('select * from ai_calls where account_id = $1 order by created_at, id', [accountId])

it('AIM-05 stores a row per call with its person, prompt, model, tokens, cost and request id', async () => {
  const { admin, id } = await createAccount(service)
  expectStatus(await chat(admin), 200)
  const [call] = await listCalls(id)
  expect(call).toMatchObject({
    user_id: admin.id,
    prompt: 'chat_turn',
    model: modelName,
    outcome: 'answered',
    is_estimated: false,
  })
  expect(call?.request_id).toMatch(/^req_/)
  expect(call?.finished_at).not.toBeNull()
  const { input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros } = call as Record<
    string,
    number
  >
  expect(reasoning_tokens).toBe(256)
  expect(output_tokens).toBeGreaterThan(256)
  // The prices of the settings: 1 dollar per million tokens, 0.05 for cached ones, 5 for the answer.
  const price =
    (Number(input_tokens) - Number(cached_tokens)) * 1 +
    Number(cached_tokens) * 0.05 +
    Number(output_tokens) * 5
  expect(Number(cost_micros)).toBe(Math.ceil(price - 1e-6))
})

it('AIM-07 returns the totals of the month by day, prompt and person', async () => {
  const { admin, addColleague, id } = await createAccount(service)
  const engineer = await addColleague()
  expectStatus(await chat(admin), 200)
  expectStatus(await chat(engineer), 200)
  await engineer.client.ai.turns.createSession({
    session_type: 'guided',
    problem_summary: 'No mail arrives.',
  })
  const { month, total, by_day, by_prompt, by_person } = await readUsage(admin)
  expect(total).toMatchObject({ calls: 3, failed_calls: 0, reasoning_tokens: 768 })
  expect(month).toMatchObject({ covers: 'account', used_micros: total.cost_micros, limit_micros: 5_000_000 })
  expect(Date.parse(month.resets_at)).toBeGreaterThan(Date.now())
  expect(by_day).toEqual([{ date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...total }])
  const callsBy = (rows: Record<string, unknown>[], key: string) =>
    Object.fromEntries(rows.map((row) => [row[key], row.calls]))
  expect(callsBy(by_prompt, 'prompt')).toEqual({ chat_turn: 2, guided_step: 1 })
  expect(callsBy(by_person, 'user_id')).toEqual({ [admin.id]: 1, [engineer.id]: 2 })
  const body = await admin.client.accounts.getUsage()
  expect(body.ai_cost_micros).toEqual({ used: total.cost_micros, limit: 5_000_000 })
  expect((await listCalls(id)).reduce((sum, { cost_micros }) => sum + Number(cost_micros), 0)).toBe(
    total.cost_micros,
  )
})

it('AIM-07 shows account and team admins every person, and others their own calls', async () => {
  const { admin, addColleague } = await createAccount(service)
  expectStatus(await chat(admin), 200)
  const people = {
    teamAdmin: await addColleague({ teamRole: 'admin' }),
    engineer: await addColleague(),
    viewer: await addColleague({ role: 'viewer' }),
  }
  const seen = async (person: Person) => {
    const { month, total } = await readUsage(person)
    return [month.covers, total.calls, month.used_micros > 0]
  }
  expect(await seen(people.teamAdmin)).toEqual(['account', 1, true])
  expect(await seen(people.engineer)).toEqual(['own', 0, true])
  expect(await seen(people.viewer)).toEqual(['own', 0, true])
})

describe('an account that has used its budget', () => {
  const askingOperations = operations.filter(({ errors }: AnyOperation) =>
    errors?.includes('ai_provider_error'),
  ) as AnyOperation[]

  it.each(askingOperations.map((op) => [op.id, op] as const))(
    'AIM-06 gets 429 from %s, which calls no model and writes nothing',
    async (_, op) => {
      const { account, person, sample, rows } = await createRequestSetup(service, op)
      // A chat is created without asking the model.
      const body =
        op.id === 'ai.turns.createSession'
          ? { session_type: 'guided', problem_summary: 'No mail.' }
          : sample.body
      await setBudget(account.id, 0)
      const before = await rows()
      const refused = await send(service, op, { ...sample, body } as typeof sample, { token: person.token })
      expect([refused.status, refused.body.code]).toEqual([429, 'ai_budget_exhausted'])
      expect(Date.parse(refused.body.resets_at)).toBeGreaterThan(Date.now())
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await rows()).toEqual(before)
      expect(await listCalls(account.id)).toEqual([])
    },
  )

  it('AIM-06 keeps the current step of a guided session open, and a knowledge import as it was', async () => {
    const { admin, id } = await createAccount(service)
    const session = await admin.client.ai.turns.createSession({
      session_type: 'guided',
      problem_summary: 'No mail.',
    })
    const article = { title: 'Mail', format: 'markdown', content: '# Mail\n\n1. Restart Outlook.' }
    const kbImport = expectStatus(await admin.call('POST', '/kb-imports', article), 201).body
    await setBudget(id, 0)
    await expectRefusal(
      admin.client.ai.turns.respondToStep({ session_id: session.id, response: 'All of them' }),
      429,
    )
    expect((await admin.call('GET', `/ai-sessions/${session.id}`)).body.steps[0].response).toBeNull()
    await expectRefusal(admin.client.authoring.kbImports.convert({ import_id: kbImport.id }), 429)
    expect((await admin.client.authoring.kbImports.get({ import_id: kbImport.id })).status).toBe('uploaded')
  })

  it('AIM-06 asks again when the plan allows more', async () => {
    const { admin, id } = await createAccount(service)
    await setBudget(id, 1)
    expect(countByStatus([await chat(admin), await chat(admin)])).toEqual({ 200: 1, 429: 1 })
    await setBudget(id, null)
    expectStatus(await chat(admin), 200)
    expect((await readUsage(admin)).month.limit_micros).toBeNull()
  })

  it('AIM-06 with 32 callers at once spends at most its budget and the calls that were running', async () => {
    const { admin, addColleague, id } = await createAccount(service)
    const people = await Promise.all([admin, ...Array.from({ length: 7 }, () => addColleague())])
    const sessions = await Promise.all(people.map((person) => createAiSession(person)))
    // Each call reserves about 8,500 micro-dollars for its answer before it starts.
    await setBudget(id, 30_000)
    const responses = await runConcurrently((n) =>
      (people[n % 8] as Person).call('POST', `/ai-sessions/${sessions[n % 8].id}/chat`, {
        message: 'It still does not print.',
      }),
    )
    const calls = await listCalls(id)
    const { month } = await readUsage(admin)
    const spent = calls.reduce((sum, { cost_micros }) => sum + Number(cost_micros), 0)
    const dearest = Math.max(...calls.map(({ cost_micros }) => Number(cost_micros)))
    expect(responses.filter(({ body }) => body.code === 'ai_budget_exhausted').length).toBeGreaterThan(0)
    expect(Object.keys(countByStatus(responses))).toEqual(['200', '429'])
    expect(month.used_micros).toBe(spent)
    // The answers cost less than was reserved for them, so only the call that was let through last passes the
    // budget.
    expect(spent).toBeLessThan(30_000 + dearest)
  })
})

it('AIM-05 keeps the reserved cost of a call that never reported its end', async () => {
  const { admin, id } = await createAccount(service)
  await service.sql(
    `insert into ai_budgets (account_id, period_start, used_micros) select id, app.quota_period(a), 9000 from accounts a where id = $1`,
    [id],
  )
  await service.sql(
    `insert into ai_calls (account_id, user_id, prompt, model, cost_micros, period_start)
     select id, $2, 'chat_turn', 'm', 9000, app.quota_period(a) from accounts a where id = $1`,
    [id, admin.id],
  )
  expect(await readUsage(admin)).toMatchObject({
    month: { used_micros: 9000 },
    total: { calls: 1, failed_calls: 0, cost_micros: 9000 },
  })
})

it('a second turn of a chat begins with the lasting facts and the message of the first one', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin, { problem_summary: 'The plotter Zwölfton does not plot.' })
  for (const message of ['It hums.', 'It still hums.'])
    expectStatus(await admin.call('POST', `/ai-sessions/${id}/chat`, { message }), 200)
  const requests = (await dashboard(service).listRecords('ai'))
    .map(({ request }) => request.messages as { role: string; content: string }[])
    .filter((messages) => JSON.stringify(messages).includes('Zwölfton'))
    .reverse()
  const [first = [], second = []] = requests
  expect(first.map(({ content }) => content).slice(2, -1)).toEqual(['It hums.'])
  expect(first[1]?.content).toContain('flows')
  expect(second.slice(0, first.length - 1)).toEqual(first.slice(0, -1))
})
