import * as z from 'zod'
import type { Client } from '../client.ts'
import { listWithItem } from '../expectations.ts'
import type { Person } from '../person.ts'

interface Scene {
  admin: Person
  robin: Person
  /** Id of a session that Robin resolved. */
  aiSessionId: string
}

/** Write flows with the model: from a description, with the editor's assistant, and from a resolved session. */
export async function writeFlows(client: Client, scene: Scene): Promise<void> {
  await buildFlow(client, scene.admin)
  await askAssistant(client, scene.admin)
  await approveProposal(client, scene)
}

async function buildFlow(client: Client, { accessToken }: Person): Promise<void> {
  const conversations = '/ai/flow-builder/conversations'
  const goal = 'If the scanner answers a ping, then restart its service. Otherwise reseat the network cable.'
  const createDraftSchema = (title: z.ZodString | z.ZodLiteral<string>) =>
    z.object({ id: z.string(), draft: z.object({ tree_structure: z.object({ type: z.literal('decision'), title }) }) })
  const { id } = await client.api('POST', conversations, {
    accessToken,
    body: { tree_type: 'troubleshooting', environment_tags: ['windows 11'], goal },
    status: 201,
    returns: createDraftSchema(z.string()),
  })
  const body = { message: 'Rename the root to “Does the scanner ping?”' }
  const renamed = createDraftSchema(z.literal('Does the scanner ping?'))
  await client.api('POST', `${conversations}/${id}/messages`, { accessToken, body, returns: renamed })
  const flow = z.object({ id: z.string(), name: z.literal('Scanner offline'), status: z.literal('draft') })
  await client.api('POST', `${conversations}/${id}/commit`, { accessToken, body: { name: 'Scanner offline' }, status: 201, returns: flow })
  await client.api('GET', '/ai/quota', { accessToken, returns: z.object({ used: z.literal(1), limit: z.number() }) })
  const drafts = listWithItem(
    z.object({ prompt: z.literal('flow_draft'), calls: z.literal(2), cost_micros: z.number().min(1) }),
    'flow_draft',
  )
  await client.api('GET', '/ai/usage', { accessToken, returns: z.object({ by_prompt: drafts }) })
}

async function askAssistant(client: Client, { accessToken }: Person): Promise<void> {
  const result = z.object({ type: z.string(), title: z.literal('Try another one'), next_node_id: z.literal('cable') })
  await client.api('POST', '/ai/assistant/suggest', {
    accessToken,
    body: {
      tree_type: 'troubleshooting',
      instruction: 'Add “Try another one” before “Reseat the cable”',
      tree_structure: { id: 'cable', type: 'solution', title: 'Reseat the cable', description: '' },
    },
    returns: z.object({ explanation: z.string(), result, problems: z.array(z.unknown()).max(0) }),
  })
}

async function approveProposal(client: Client, { admin, robin, aiSessionId }: Scene): Promise<void> {
  const pendingProposal = z.object({ id: z.string(), status: z.literal('pending'), source: z.literal('ai_session') })
  const { id } = await client.api('POST', `/sessions/${aiSessionId}/convert-to-flow`, {
    accessToken: robin.accessToken,
    body: {},
    status: 201,
    returns: pendingProposal,
  })
  const approvedProposal = z.object({ proposal: z.object({ id: z.literal(id), status: z.literal('approved') }), tree_id: z.string() })
  await client.api('POST', `/flow-proposals/${id}/approve`, { accessToken: admin.accessToken, status: 201, returns: approvedProposal })
  const notification = z.object({ event_key: z.literal('proposal.approved'), title: z.string(), link: z.string().includes(id) })
  const returns = listWithItem(notification, 'notification about the approved proposal')
  await client.api('GET', '/notifications', { accessToken: robin.accessToken, returns })
}
