import { withSuperuser } from '#local/postgres.ts'
import type { FlowNode } from '#rules/flows/structure.ts'
import { insertFlowsSql, listFilters } from '#test/support/many-flows.ts'
import { median } from '#test/support/measure.ts'
import { runLoadWhile } from './load.ts'
import { type BenchDatabase, type SeededAccount, seedAccount, userId } from './seed.ts'
import type { BenchServer } from './server.ts'

/** Median duration of a list in a small and in a large account, in milliseconds. */
export interface ListTimes {
  list: string
  small: number
  large: number
}
/** Median duration of a step with a small and with a large flow, in milliseconds. */
export interface StepTimes {
  step: string
  small: number
  large: number
}

export const flowCounts = { small: 20, large: 20_000 }
export const nodeCounts = { small: 5, large: 500 }

// Enough people to stay below the rate limits.
const peopleCount = 20
const warmUpLists = 10
const measuredLists = 40
const sortOrders = ['updated_at', 'created_at', 'name', 'name_desc', 'version']

async function seedFlows(database: BenchDatabase, tag: string, count: number): Promise<SeededAccount> {
  const account = await seedAccount(database, tag, peopleCount, 1)
  const authors = account.tokens.map((_, index) => userId(tag, index + 1))
  await withSuperuser(database.postgresPort, database.database, async (client) => {
    await client.query(insertFlowsSql({ id: account.accountId, teamId: null, authors }, count))
    await client.query('vacuum analyze trees, categories')
  })
  return account
}

/** Measure every sort order and every filter of the list of flows, in accounts of 20 and of 20,000 flows. */
export async function measureFlowLists(
  database: BenchDatabase,
  { workers }: BenchServer,
): Promise<ListTimes[]> {
  const port = workers[0]?.port ?? 0
  const smallAccount = await seedFlows(database, '2a', flowCounts.small)
  const largeAccount = await seedFlows(database, '2b', flowCounts.large)
  const measureList = async ({ tag, tokens }: SeededAccount, query: string) => {
    let requestCount = 0
    const path = `/api/v1/trees?${query.replace('AUTHOR', userId(tag, 1))}`
    const next = () => ({ method: 'GET', path, token: tokens[requestCount++ % peopleCount] ?? '' })
    const runListsUntil = (count: number) =>
      runLoadWhile({ port, connections: 1, next, hasMore: () => requestCount < count })
    await runListsUntil(warmUpLists)
    return (await runListsUntil(warmUpLists + measuredLists)).p50
  }
  const { none, ...filters } = listFilters('AUTHOR')
  const queries = [
    ['most used', none],
    ...sortOrders.map((sort) => [`by ${sort}`, `sort_by=${sort}`]),
    ...Object.entries(filters),
  ] as const
  const results: ListTimes[] = []
  for (const [list = '', query = ''] of queries)
    results.push({
      list,
      small: await measureList(smallAccount, query),
      large: await measureList(largeAccount, query),
    })
  return results
}

/** Build a balanced tree with exactly `nodes` nodes. */
function buildFlow(nodes: number, id = 'n'): FlowNode {
  const node = {
    id,
    title: `Step ${id}`,
    description: 'Run `ipconfig /all`; it prints the address of every adapter.',
  }
  if (nodes < 3) {
    if (nodes === 1) return { ...node, type: 'solution' }
    return { ...node, type: 'action', next_node_id: `${id}0`, children: [buildFlow(1, `${id}0`)] }
  }
  const firstSize = Math.ceil((nodes - 1) / 2)
  const children = [buildFlow(firstSize, `${id}0`), buildFlow(nodes - 1 - firstSize, `${id}1`)]
  return {
    ...node,
    type: 'decision',
    options: children.map((child) => ({ id: child.id, label: child.id, next_node_id: child.id })),
    children,
  }
}

/**
 * Measure the steps of a flow from draft to an answer in a run, with a small and a large flow. Every person does each
 * step once.
 */
export async function measureFlowSteps(
  database: BenchDatabase,
  { workers }: BenchServer,
): Promise<StepTimes[]> {
  const { tokens } = await seedAccount(database, '2c', peopleCount, 1)
  const url = `http://127.0.0.1:${workers[0]?.port ?? 0}/api/v1`
  const smallTimes = await measureSteps(url, tokens, nodeCounts.small)
  const largeTimes = await measureSteps(url, tokens, nodeCounts.large)
  return [...smallTimes].map(([step, ms]) => ({ step, small: ms, large: largeTimes.get(step) ?? 0 }))
}

/** Return the median duration of each step in milliseconds. */
async function measureSteps(
  url: string,
  tokens: readonly string[],
  nodes: number,
): Promise<Map<string, number>> {
  const durationsByStep = new Map<string, number[]>()
  const draft = {
    tree_type: 'troubleshooting',
    name: `A flow of ${nodes} nodes`,
    status: 'draft',
    tree_structure: buildFlow(nodes),
  }
  for (const token of tokens) {
    const measureStep = async (step: string, method: string, path: string, body?: unknown) => {
      const sentAt = performance.now()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
      const flow = (await response.json()) as { id: string }
      if (!response.ok)
        throw new Error(`The step ${step} returned status ${response.status}: ${JSON.stringify(flow)}`)
      durationsByStep.set(step, [...(durationsByStep.get(step) ?? []), performance.now() - sentAt])
      return flow
    }
    const { id } = await measureStep('create', 'POST', '/trees', draft)
    await measureStep('save', 'PUT', `/trees/${id}`, {
      tree_structure: draft.tree_structure,
      description: 'Saved again',
    })
    await measureStep('publish', 'PUT', `/trees/${id}`, { status: 'published' })
    await measureStep(
      'import',
      'POST',
      '/trees/import',
      await measureStep('export', 'GET', `/trees/${id}/export`),
    )
    const session = await measureStep('start', 'POST', '/sessions', { tree_id: id })
    await measureStep('answer', 'POST', `/sessions/${session.id}/answers`, { step_id: 'n', option_id: 'n0' })
  }
  return new Map([...durationsByStep].map(([step, durations]) => [step, median(durations)]))
}
