import { openAccountScope } from '#db/scope.ts'
import type { Services } from '#http/app.ts'
import { modelName } from '#local/model/model.ts'
import { plainModelName } from '#local/vendors/openai/openai-models.ts'
import type { RecordTypes } from '#local/vendors/records.ts'
import { computeCost, PriceTable } from '#rules/ai/prices.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { secrets, startTestServer } from '#test/local/test-server.ts'
import type { Service } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { ask } from '#vendors/ai/ask.ts'
import { createCircuit } from '#vendors/ai/circuit.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { chatTurn } from '#vendors/ai/prompts/diagnosis.ts'

/** The faults of a provider, most of which end a call without a cost. */
const faults = [
  'down',
  'error',
  'client_error',
  'rate_limit',
  'garbage',
  'gone',
  'refusal',
  'content_filter',
  'cut',
] as const
const prices = PriceTable.parse(
  `{"*":{"input":1,"cached":0.05,"output":5},"${plainModelName}":{"input":0.3,"output":0.7}}`,
)

interface Sums {
  calls: number
  input: number
  cached: number
  output: number
  cost: number
}

/**
 * Ask `turns` questions of two providers that fail at random. Return the sums of the ledger for calls with
 * reported tokens, the sums of what the providers reported, and what should be zero.
 */
export async function playFaultyTurns(service: Service, turns: number, random: () => number) {
  const servers = [await startTestServer(), await startTestServer()] as const
  const open = ({ origin }: { origin: string }, model: string) =>
    openAi({ key: secrets.openaiKey, baseUrl: `${origin}/openai`, model })
  const first = open(servers[0], modelName)
  const second = open(servers[1], plainModelName)
  const { admin, id: accountId } = await createAccount(service)
  await service.sql(`insert into plan_limits (plan, max_ai_cost_micros_per_month) values ('faulty', null)`)
  await service.sql(
    `update accounts set plan = 'faulty', subscription_status = 'active', trial_ends_at = null where id = $1`,
    [accountId],
  )
  const { db } = openAccountScope((service.services as Services).platform, accountId, admin.id, () => {})
  const config = { AI_REDACTION: 'none' as const, AI_PRICES: prices, AI_UNPAID_DAILY_BUDGET: 50 }
  const wait = async () => {}
  const reported: Sums = { calls: 0, input: 0, cached: 0, output: 0, cost: 0 }
  // A pause that is over at once, so that both providers are asked all the time.
  const ai = { ...first, fallback: { ai: second, circuit: createCircuit(0) } }
  let failedTurns = 0
  for (let n = 0; n < turns; n++) {
    for (const server of servers) setRandomFault(server, random)
    const question = {
      facts: { session: { title: `Printer ${n}` } },
      turns: [{ role: 'user' as const, text: 'It is offline.' }],
    }
    const listener = random() < 0.5 ? { field: 'reply', onText: () => {}, onRestart: () => {} } : undefined
    const context = { db, ai, config, wait }
    const turn = runWithin(createBudget(), () => ask(context, chatTurn, question, listener))
    await turn.catch(() => failedTurns++)
    for (const server of servers) await addReported(server, reported)
  }
  const [ledger] = await service.sql<Record<keyof Sums | 'running' | 'difference', string>>(
    `select count(*) filter (where not is_estimated and input_tokens > 0) as calls, sum(input_tokens) filter (where not is_estimated) as input,
            sum(cached_tokens) filter (where not is_estimated) as cached, sum(output_tokens) filter (where not is_estimated) as output,
            sum(cost_micros) filter (where not is_estimated) as cost, count(*) filter (where outcome = 'running') as running,
            sum(cost_micros) - (select sum(b.used_micros) from ai_budgets b where b.account_id = $1) as difference
       from ai_calls where account_id = $1`,
    [accountId],
  )
  const { running, difference, ...sums } = Object.fromEntries(
    Object.entries(ledger ?? {}).map(([name, sum]) => [name, Number(sum)]),
  )
  return { ledger: sums, reported, failedTurns, running, difference }
}

type LocalServer = Awaited<ReturnType<typeof startTestServer>>

function setRandomFault(server: LocalServer, random: () => number): void {
  server.faults.clear()
  const mode = faults[Math.floor(random() * faults.length * 2)]
  if (mode)
    server.faults.set({ service: 'openai', mode, times: 1 + Math.floor(random() * 2), retry_after_s: 0 })
}

async function addReported(server: LocalServer, sums: Sums): Promise<void> {
  for (const { usage, request } of (await server.read('/desk/ai')) as unknown as RecordTypes['ai'][]) {
    if (!usage) continue
    sums.calls++
    for (const name of ['input', 'cached', 'output'] as const) sums[name] += usage[name]
    const { model } = request as { model: string }
    sums.cost += computeCost(prices, model, { ...usage, cacheWrites: 0, reasoning: 0, isEstimated: false })
  }
  await server.call('DELETE', '/desk/ai')
}
