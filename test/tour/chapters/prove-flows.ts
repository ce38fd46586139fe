import * as z from 'zod'
import { type RecordKeys, verifyRecord } from '#client/client.ts'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem, TourError } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

const step = (id: string, title: string) => ({
  id,
  type: 'procedure_step' as const,
  title,
  description: '',
})
const end = { id: 'end', type: 'procedure_end' as const, title: 'Done', description: '' }
const [power, queue, cable] = [
  step('power', 'Switch the printer on'),
  step('queue', 'Clear the queue'),
  step('cable', 'Check the cable'),
]

/**
 * Dry-run a flow, run it, replay the run through a change before and while it is published, read what the flow
 * proves about itself, review it, and verify the signed record of the run.
 */
export async function proveFlow(tour: Tour, admin: Person): Promise<void> {
  const { flows } = admin.client
  const flow = {
    name: 'Printer does not print',
    tree_type: 'procedural' as const,
    tree_structure: { steps: [power, queue, end] },
    status: 'published' as const,
  }
  const created = z.object({ id: z.string(), version: z.literal(1) })
  const { id: tree_id } = await tour.call(() => flows.trees.create(flow), { returns: created })
  await dryRun(tour, admin, tree_id)
  const session_id = await complete(tour, admin, tree_id)
  const changed = { steps: [power, cable, queue, end] }
  const counts = z.object({ unchanged: z.literal(0), asks_new: z.literal(1), breaks: z.literal(0) })
  await tour.call(() => flows.replays.run({ tree_id, tree_structure: changed }), {
    returns: z.object({
      ...counts.shape,
      steps: listWithItem(
        z.object({ step_id: z.literal('cable'), asks_new: z.literal(1) }),
        'step that the run has no answer to',
      ),
    }),
  })
  await tour.call(
    () => flows.trees.update({ tree_id, tree_structure: changed, expected_version: 1, replay: true }),
    {
      returns: z.object({ version: z.literal(2) }),
    },
  )
  await tour.call(() => flows.versions.list({ tree_id }), {
    returns: listWithItem(z.object({ version: z.literal(2), replay: counts }), 'version with its replay'),
  })
  await tour.call(() => flows.health.get({ tree_id }), {
    returns: z.object({ tree_id: z.literal(tree_id), findings: z.array(z.unknown()) }),
  })
  await review(tour, admin, tree_id)
  await verify(tour, admin, session_id)
}

/** Have the flow reviewed every half year, and confirm that it is right. */
async function review(tour: Tour, { client, id }: Person, tree_id: string): Promise<void> {
  const { reviews } = client.flows
  const planned = z.object({
    owner: z.object({ id: z.literal(id) }),
    due_on: z.string(),
    is_overdue: z.literal(false),
    since_review: z.object({ runs: z.literal(1), resolved: z.literal(1) }),
  })
  await tour.call(() => reviews.update({ tree_id, months: 6 }), { returns: planned })
  const confirmed = z.object({
    reviewed_by: z.object({ id: z.literal(id) }),
    since_review: z.object({ runs: z.literal(0) }),
  })
  await tour.call(() => reviews.confirm({ tree_id }), { returns: confirmed })
}

/** Walk through the flow with an answer that a session would refuse, and then to its end. */
async function dryRun(tour: Tour, { client }: Person, tree_id: string): Promise<void> {
  const answers = [
    { step_id: 'queue', outcome: 'done' as const },
    { step_id: 'power', outcome: 'done' as const },
    { step_id: 'queue', outcome: 'done' as const },
  ]
  const refused = listWithItem(z.object({ code: z.literal('step_not_current') }), 'refused answer')
  await tour.call(() => client.sessions.dryRuns.run({ tree_id, answers }), {
    returns: z.object({ current_step: z.null(), errors: refused }),
  })
}

/** Run the flow to its end. Return the id of the session. */
async function complete(tour: Tour, { client }: Person, tree_id: string): Promise<string> {
  const { sessions } = client
  const { id: session_id } = await tour.call(() => sessions.start({ tree_id }), {
    returns: z.object({ id: z.string(), current_step: z.object({ id: z.literal('power') }) }),
  })
  for (const step_id of ['power', 'queue'])
    await tour.call(() => sessions.steps.recordDecision({ session_id, step_id, outcome: 'done' }), {
      returns: z.object({ id: z.literal(session_id) }),
    })
  await tour.call(() => sessions.steps.complete({ session_id, outcome: 'resolved' }), {
    returns: z.object({ id: z.literal(session_id) }),
  })
  return session_id
}

/** Verify the record of a session as an auditor would, without the service. */
async function verify(tour: Tour, { client }: Person, session_id: string): Promise<void> {
  const signed = z.object({ record: z.string(), key_id: z.string(), signature: z.string() })
  const record = await tour.call(() => client.sessions.records.get({ session_id }), { returns: signed })
  const keys = (await (await fetch(`${tour.addresses.api}/.well-known/jwks.json`)).json()) as RecordKeys
  const { id } = await verifyRecord(record, keys)
  if (id !== session_id) throw new TourError('The record is that of another session')
}
