import type { FlowNode } from '../../lib/flows/structure.ts'
import { asSuperuser } from '../../lib/local/postgres.ts'
import { filtersOfMany, manyFlows } from '../support/many-flows.ts'
import { median } from '../support/measures.ts'
import { loadWhile } from './load.ts'
import { type Crowd, type Place, seedCrowd, userId } from './seed.ts'
import type { Standing } from './server.ts'

/** A list's cost in a small and a large account, in milliseconds, the median. */
export interface Listed {
  list: string
  small: number
  large: number
}
/** What a step with a small and a large flow takes, in milliseconds, the median. */
export interface Step {
  step: string
  small: number
  large: number
}

export const flowCounts = { small: 20, large: 20_000 }
export const nodeCounts = { small: 5, large: 500 }

// Enough people to stay below the limits.
const people = 20
const [warm, listsEach] = [10, 40]
const sorts = ['updated_at', 'created_at', 'name', 'name_desc', 'version']

async function seedFlows(place: Place, tag: string, count: number): Promise<Crowd> {
  const crowd = await seedCrowd(place, tag, people, 1)
  const authors = crowd.tokens.map((_, index) => userId(tag, index + 1))
  await asSuperuser(place.postgresPort, place.database, async (client) => {
    await client.query(manyFlows({ id: crowd.accountId, teamId: null, authors }, count))
    await client.query('vacuum analyze trees, categories')
  })
  return crowd
}

/** Each order and each filter of the list, in accounts of 20 and of 20,000 flows. */
export async function flowLists(place: Place, { subjects }: Standing): Promise<Listed[]> {
  const port = subjects[0]?.port ?? 0
  const crowds = { small: await seedFlows(place, '2a', flowCounts.small), large: await seedFlows(place, '2b', flowCounts.large) }
  const p50 = async ({ tag, tokens }: Crowd, query: string) => {
    let turn = 0
    const path = `/api/v1/trees?${query.replace('AUTHOR', userId(tag, 1))}`
    const next = () => ({ method: 'GET', path, token: tokens[turn++ % people] ?? '' })
    const lists = (upTo: number) => loadWhile({ port, connections: 1, next, more: () => turn < upTo })
    await lists(warm)
    return (await lists(warm + listsEach)).p50
  }
  const { none, ...filters } = filtersOfMany('AUTHOR')
  const queries = [['most used', none], ...sorts.map((sort) => [`by ${sort}`, `sort_by=${sort}`]), ...Object.entries(filters)] as const
  const listed: Listed[] = []
  for (const [list = '', query = ''] of queries)
    listed.push({ list, small: await p50(crowds.small, query), large: await p50(crowds.large, query) })
  return listed
}

/** A flow of just so many nodes, as deep as they need. */
function flowOf(nodes: number, id = 'n'): FlowNode {
  const node = { id, title: `Step ${id}`, description: 'Run `ipconfig /all`; it prints the address of every adapter.' }
  if (nodes < 3) {
    if (nodes === 1) return { ...node, type: 'solution' }
    return { ...node, type: 'action', next_node_id: `${id}0`, children: [flowOf(1, `${id}0`)] }
  }
  const left = Math.ceil((nodes - 1) / 2)
  const children = [flowOf(left, `${id}0`), flowOf(nodes - 1 - left, `${id}1`)]
  return {
    ...node,
    type: 'decision',
    options: children.map((child) => ({ id: child.id, label: child.id, next_node_id: child.id })),
    children,
  }
}

/** What one flow's way from draft to import takes, each step by every person once. */
export async function flowSteps(place: Place, { subjects }: Standing): Promise<Step[]> {
  const { tokens } = await seedCrowd(place, '2c', people, 1)
  const url = `http://127.0.0.1:${subjects[0]?.port ?? 0}/api/v1/trees`
  const [small, large] = [await stepsOf(url, tokens, nodeCounts.small), await stepsOf(url, tokens, nodeCounts.large)]
  return [...small].map(([step, ms]) => ({ step, small: ms, large: large.get(step) ?? 0 }))
}

async function stepsOf(url: string, tokens: readonly string[], nodes: number): Promise<Map<string, number>> {
  const times = new Map<string, number[]>()
  const draft = { tree_type: 'troubleshooting', name: `A flow of ${nodes} nodes`, status: 'draft', tree_structure: flowOf(nodes) }
  for (const token of tokens) {
    const timed = async (step: string, method: string, path: string, body?: unknown) => {
      const sent = performance.now()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
      const answer = (await response.json()) as { id: string }
      if (!response.ok) throw new Error(`The bench met a ${response.status} where it wanted to ${step}: ${JSON.stringify(answer)}`)
      times.set(step, [...(times.get(step) ?? []), performance.now() - sent])
      return answer
    }
    const { id } = await timed('create', 'POST', '', draft)
    await timed('save', 'PUT', `/${id}`, { tree_structure: draft.tree_structure, description: 'Saved again' })
    await timed('publish', 'PUT', `/${id}`, { status: 'published' })
    await timed('import', 'POST', '/import', await timed('export', 'GET', `/${id}/export`))
  }
  return new Map([...times].map(([step, all]) => [step, median(all)]))
}
