import type { Service } from './app.ts'
import { patchProcedure } from './flows.ts'
import { createAccount, type Person } from './people.ts'
import { createSession, proceduralFlowFields } from './sessions.ts'

/** Return a procedure whose first step requires an approval. */
export function procedureWithApproval(approval: unknown) {
  const procedure = patchProcedure()
  Object.assign(procedure.steps[1] as object, { approval })
  return procedure
}

/** Start a session at a step that requires an approval, by default of an account admin. */
export function createGatedSession(person: Person, approval: unknown = { roles: ['account_admin'] }) {
  return createSession(
    person,
    { variables: { server: 'srv-dc-01' } },
    proceduralFlowFields({ tree_structure: procedureWithApproval(approval) }),
  )
}

/**
 * Create an account with a runner, an admin who may approve, and a session of the runner that waits for an
 * approval.
 */
export async function createGatedScene(service: Service, approval?: unknown) {
  const account = await createAccount(service)
  const runner = await account.addColleague()
  const session = await createGatedSession(runner, approval)
  const answer = (person: Person = runner, fields: object = {}) =>
    person.call('POST', `/sessions/${session.id}/decisions`, {
      step_id: 'snapshot',
      outcome: 'done',
      ...fields,
    })
  const request = (person: Person = runner, body: unknown = {}) =>
    person.call('POST', `/sessions/${session.id}/approvals`, body)
  const decide = (person: Person, id: string, verb: 'approve' | 'reject' = 'approve') =>
    person.call(
      'POST',
      `/sessions/${session.id}/approvals/${id}/${verb}`,
      verb === 'reject' ? { comment: 'Not now' } : {},
    )
  return { ...account, runner, session, answer, request, decide }
}
