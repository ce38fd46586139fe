import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

/**
 * Run a flow with a step that has a timer and needs a value and the approval of a colleague, and let Robin
 * approve it.
 */
export async function waitForApproval(
  tour: Tour,
  { admin, robin }: { admin: Person; robin: Person },
): Promise<void> {
  const { sessions } = admin.client
  const session = await startRestart(tour, admin)
  const answer = {
    session_id: session.id,
    step_id: 'restart',
    outcome: 'done' as const,
    evidence: { uptime: 412 },
  }
  const missing = z.object({
    errors: listWithItem(
      z.object({ loc: z.tuple([z.literal('body'), z.literal('evidence'), z.literal('uptime')]) }),
      'uptime',
    ),
  })
  await tour.call(() => sessions.steps.recordDecision({ ...answer, evidence: {} }), {
    status: 422,
    returns: missing,
  })
  const required = z.object({ code: z.literal('approval_required') })
  await tour.call(() => sessions.steps.recordDecision(answer), { status: 409, returns: required })
  const request = { session_id: session.id, comment: 'The client agreed by phone.' }
  const pending = z.object({ id: z.string(), state: z.literal('pending') })
  const { id } = await tour.call(() => sessions.approvals.request(request), { returns: pending })
  const waiting = listWithItem(
    z.object({ id: z.literal(id), title: z.literal('Restart srv-dc-01'), may_decide: z.literal(true) }),
    'approval',
  )
  await tour.call(() => robin.client.sessions.approvals.listWaiting(), { returns: waiting })
  const approved = z.object({ state: z.literal('approved'), decided_by: z.literal(robin.id) })
  await tour.call(
    () => robin.client.sessions.approvals.approve({ session_id: session.id, approval_id: id }),
    { returns: approved },
  )
  await tour.call(() => sessions.steps.recordDecision(answer), {
    returns: z.object({ current_step_id: z.null() }),
  })
}

async function startRestart(tour: Tour, { client }: Person): Promise<{ id: string }> {
  const step = {
    id: 'restart',
    type: 'procedure_step' as const,
    title: 'Restart {{server}}',
    description: 'Users are signed out.',
    evidence: [{ key: 'uptime', type: 'number' as const, label: 'Uptime in days' }],
    approval: { roles: ['engineer' as const], expires_after_minutes: 30 },
    timer: { minutes: 15 },
  }
  const end = { id: 'end', type: 'procedure_end' as const, title: 'Done', description: '' }
  const flow = {
    name: 'Restart a server',
    tree_type: 'procedural' as const,
    tree_structure: { steps: [step, end] },
  }
  const published = z.object({ id: z.string(), status: z.literal('published') })
  const { id: tree_id } = await tour.call(() => client.flows.trees.create({ ...flow, status: 'published' }), {
    returns: published,
  })
  const started = z.object({
    id: z.string(),
    current_step: z.object({ id: z.literal('restart') }),
    timer_due_at: z.string(),
  })
  return tour.call(() => client.sessions.start({ tree_id, variables: { server: 'srv-dc-01' } }), {
    returns: started,
  })
}
