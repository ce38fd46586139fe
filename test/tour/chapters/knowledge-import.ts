import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

const article = `# Restart the spooler

1. Open the services console.
2. Restart the Print Spooler:

   \`net stop spooler\`

3. Print a test page.
`

/** Convert an article to a flow, run the flow to its end on a ticket, and export the note. */
export async function importArticle(tour: Tour, admin: Person, ticketId: string): Promise<void> {
  const { authoring, sessions } = admin.client
  const file = new Blob([article], { type: 'text/markdown' })
  const imported = z.object({ id: z.string(), format: z.literal('markdown'), status: z.string() })
  const { id } = await tour.call(() => authoring.kbImports.create({ file, filename: 'spooler.md' }), {
    returns: imported,
  })
  const flowId = await createFlow(tour, admin, id)
  const sessionId = await runFlow(tour, admin, flowId, ticketId)
  const note = z.string().includes('1. Open services.msc -> Done').includes('3. Print a test page. -> Done')
  await tour.call(() => sessions.exports.export({ session_id: sessionId, format: 'ticket-note' }), {
    returns: note,
  })
}

/** Convert an import into nodes, change one and publish the flow. Return the flow's id. */
async function createFlow(tour: Tour, { client }: Person, import_id: string): Promise<string> {
  const { kbImports } = client.authoring
  const converted = z.object({ status: z.literal('converted'), node_count: z.literal(4) })
  await tour.call(() => kbImports.convert({ import_id }), { returns: converted })
  const step = z.object({ id: z.string(), kind: z.literal('step'), title: z.string() })
  const detail = z.object({ nodes: listWithItem(step, 'step') })
  const { nodes } = await tour.call(() => kbImports.get({ import_id }), { returns: detail })
  const title = 'Open services.msc'
  const changed = z.object({ id: z.literal(nodes.id), title: z.literal(title) })
  await tour.call(() => kbImports.updateNode({ import_id, node_id: nodes.id, title }), { returns: changed })
  const body = { name: 'Restart the spooler', tree_type: 'procedural' as const }
  const flow = z.object({ id: z.string(), name: z.string(), status: z.literal('published') })
  const { id } = await tour.call(() => kbImports.commit({ import_id, ...body }), { returns: flow })
  return id
}

async function runFlow(tour: Tour, { client }: Person, flowId: string, ticketId: string): Promise<string> {
  const progress = z.object({ answered: z.number(), total: z.literal(3) })
  const session = z.object({
    id: z.string(),
    state: z.literal('in_progress'),
    progress,
    current_step: z.object({ id: z.string() }).nullable(),
  })
  const { start, steps } = client.sessions
  const { id, ...started } = await tour.call(() => start({ tree_id: flowId, ticket_number: ticketId }), {
    returns: session,
  })
  let step = started.current_step
  while (step) {
    const decision = { session_id: id, step_id: step.id, outcome: 'done' as const }
    const decided = await tour.call(() => steps.recordDecision(decision), { returns: session })
    step = decided.current_step
  }
  const completed = z.object({
    id: z.literal(id),
    state: z.literal('completed'),
    outcome: z.literal('resolved'),
  })
  await tour.call(() => steps.complete({ session_id: id, outcome: 'resolved' }), { returns: completed })
  return id
}
