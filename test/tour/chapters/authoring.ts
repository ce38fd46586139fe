import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

interface Scene {
  admin: Person
  robin: Person
  /** Id of a session that Robin resolved. */
  aiSessionId: string
}

/**
 * Write flows with the model: from a description, with the editor's assistant, and from a resolved session.
 */
export async function writeFlows(tour: Tour, scene: Scene): Promise<void> {
  await buildFlow(tour, scene.admin)
  await askAssistant(tour, scene.admin)
  await approveProposal(tour, scene)
}

async function buildFlow(tour: Tour, { client }: Person): Promise<void> {
  const { flowBuilder, assistant } = client.authoring
  const goal = 'If the scanner answers a ping, then restart its service. Otherwise reseat the network cable.'
  const createDraftSchema = (title: z.ZodString | z.ZodLiteral<string>) =>
    z.object({
      id: z.string(),
      draft: z.object({ tree_structure: z.object({ type: z.literal('decision'), title }) }),
    })
  const description = { tree_type: 'troubleshooting' as const, environment_tags: ['windows 11'], goal }
  const { id } = await tour.call(() => flowBuilder.start(description), {
    returns: createDraftSchema(z.string()),
  })
  const message = 'Rename the root to “Does the scanner ping?”'
  const renamed = createDraftSchema(z.literal('Does the scanner ping?'))
  await tour.call(() => flowBuilder.sendMessage({ conversation_id: id, message }), { returns: renamed })
  const flow = z.object({ id: z.string(), name: z.literal('Scanner offline'), status: z.literal('draft') })
  await tour.call(() => flowBuilder.commit({ conversation_id: id, name: 'Scanner offline' }), {
    returns: flow,
  })
  await tour.call(() => assistant.getQuota(), {
    returns: z.object({ used: z.literal(1), limit: z.number() }),
  })
  const drafts = listWithItem(
    z.object({ prompt: z.literal('flow_draft'), calls: z.literal(2), cost_micros: z.number().min(1) }),
    'flow_draft',
  )
  await tour.call(() => client.ai.usage.get(), { returns: z.object({ by_prompt: drafts }) })
}

async function askAssistant(tour: Tour, { client }: Person): Promise<void> {
  const result = z.object({
    type: z.string(),
    title: z.literal('Try another one'),
    next_node_id: z.literal('cable'),
  })
  const request = {
    tree_type: 'troubleshooting',
    instruction: 'Add “Try another one” before “Reseat the cable”',
    tree_structure: { id: 'cable', type: 'solution', title: 'Reseat the cable', description: '' },
  } as const
  const returns = z.object({ explanation: z.string(), result, problems: z.array(z.unknown()).max(0) })
  await tour.call(() => client.authoring.assistant.suggest(request), { returns })
}

async function approveProposal(tour: Tour, { admin, robin, aiSessionId }: Scene): Promise<void> {
  const pendingProposal = z.object({
    id: z.string(),
    status: z.literal('pending'),
    source: z.literal('ai_session'),
  })
  const { id } = await tour.call(() => robin.client.authoring.proposals.create({ session_id: aiSessionId }), {
    returns: pendingProposal,
  })
  const approvedProposal = z.object({
    proposal: z.object({ id: z.literal(id), status: z.literal('approved') }),
    tree_id: z.string(),
  })
  await tour.call(() => admin.client.authoring.proposals.approve({ proposal_id: id }), {
    returns: approvedProposal,
  })
  const notification = z.object({
    event_key: z.literal('proposal.approved'),
    title: z.string(),
    link: z.string().includes(id),
  })
  const returns = listWithItem(notification, 'notification about the approved proposal')
  await tour.call(() => robin.client.notifications.list(), { returns })
}
