import type { AnyOperation } from '#http/operation.ts'
import type { Service } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { getFixture } from './fixtures.ts'
import { createPermittedCaller } from './requests.ts'
import { readChecksums } from './row-checksums.ts'

/**
 * Return whether an operation could write: its transaction is not read only in PostgreSQL, or it uses the
 * platform connection.
 */
export function mayWrite(op: AnyOperation): boolean {
  return op.method !== 'get' || op.transport?.writes === true || op.platform !== undefined
}

/**
 * Create an account, a user who may call the operation, and a valid request. `rows` reads the account's
 * checksums, unless the operation cannot write.
 */
export async function createRequestSetup(service: Service, op: AnyOperation) {
  const account = await createAccount(service)
  const person = await createPermittedCaller(op, account)
  const sample = await getFixture(op)(service, person)
  return {
    account,
    person,
    sample,
    rows: async () => (mayWrite(op) ? await readChecksums(service, account.id) : {}),
  }
}
