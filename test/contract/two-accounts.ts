import { operations } from '#functions/operations.ts'
import { type AnyOperation, requiresToken } from '#http/operation.ts'
import type { Service } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { getFixture } from './fixtures.ts'
import { createPermittedCaller, listIds } from './requests.ts'

/** The operations that act on the caller's account alone. Operations of super admins act on every account. */
export const tenantOperations = operations.filter((op) => requiresToken(op) && op.access !== 'super_admin')

/** Create two accounts, and a valid request for rows of the first. */
export async function createTwoAccounts(service: Service, op: AnyOperation) {
  const [ours, theirs] = [await createAccount(service), await createAccount(service)]
  const owner = await createPermittedCaller(op, ours)
  return { ours, theirs, owner, sample: await getFixture(op)(service, owner) }
}

/** List the operations, by id, whose requests contain ids of rows. */
export async function listOperationsWithIds(service: Service): Promise<[string, AnyOperation][]> {
  const account = await createAccount(service)
  const found: [string, AnyOperation][] = []
  for (const op of tenantOperations) {
    if (listIds(await getFixture(op)(service, await createPermittedCaller(op, account))).length > 0)
      found.push([op.id, op])
  }
  return found
}
