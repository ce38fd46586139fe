import * as z from 'zod'
import type { Client } from '../client.ts'
import { listWithItem } from '../expectations.ts'
import type { Person } from '../person.ts'

const article = `# Restart the spooler

1. Open the services console.
2. Restart the Print Spooler:

   \`net stop spooler\`

3. Print a test page.
`

/** Convert an article to a flow, run the flow to its end on a ticket, and export the note. */
export async function importArticle(client: Client, admin: Person, ticketId: string): Promise<void> {
  const { accessToken } = admin
  const form = new FormData()
  form.set('file', new Blob([article], { type: 'text/markdown' }), 'spooler.md')
  const imported = z.object({ id: z.string(), format: z.literal('markdown'), status: z.string() })
  const { id } = await client.api('POST', '/kb-imports', { accessToken, form, status: 201, returns: imported })
  const flowId = await createFlow(client, admin, `/kb-imports/${id}`)
  const sessionId = await runFlow(client, admin, flowId, ticketId)
  const note = z.string().includes('1. Open services.msc -> Done').includes('3. Print a test page. -> Done')
  await client.api('GET', `/sessions/${sessionId}/export?format=ticket-note`, { accessToken, returns: note })
}

/** Convert an import into nodes, change one and publish the flow. Return the flow's id. */
async function createFlow(client: Client, { accessToken }: Person, kbImport: string): Promise<string> {
  const converted = z.object({ status: z.literal('converted'), node_count: z.literal(4) })
  await client.api('POST', `${kbImport}/convert`, { accessToken, returns: converted })
  const step = z.object({ id: z.string(), kind: z.literal('step'), title: z.string() })
  const detail = z.object({ nodes: listWithItem(step, 'step') })
  const { nodes } = await client.api('GET', kbImport, { accessToken, returns: detail })
  const title = 'Open services.msc'
  const changed = z.object({ id: z.literal(nodes.id), title: z.literal(title) })
  await client.api('PATCH', `${kbImport}/nodes/${nodes.id}`, { accessToken, body: { title }, returns: changed })
  const body = { name: 'Restart the spooler', tree_type: 'procedural' }
  const flow = z.object({ id: z.string(), name: z.string(), status: z.literal('published') })
  const { id } = await client.api('POST', `${kbImport}/commit`, { accessToken, body, status: 201, returns: flow })
  return id
}

async function runFlow(client: Client, { accessToken }: Person, flowId: string, ticketId: string): Promise<string> {
  const progress = z.object({ answered: z.number(), total: z.literal(3) })
  const session = z.object({
    id: z.string(),
    state: z.literal('in_progress'),
    progress,
    current_step: z.object({ id: z.string() }).nullable(),
  })
  const startBody = { tree_id: flowId, ticket_number: ticketId }
  const { id, ...started } = await client.api('POST', '/sessions', { accessToken, body: startBody, status: 201, returns: session })
  let step = started.current_step
  while (step) {
    const body = { step_id: step.id, outcome: 'done' }
    const decided = await client.api('POST', `/sessions/${id}/decisions`, { accessToken, body, status: 201, returns: session })
    step = decided.current_step
  }
  const completed = z.object({ id: z.literal(id), state: z.literal('completed'), outcome: z.literal('resolved') })
  await client.api('POST', `/sessions/${id}/complete`, { accessToken, body: { outcome: 'resolved' }, returns: completed })
  return id
}
