import type { AnyOperation } from '../../lib/http/operation.ts'
import type { Service } from '../support/app.ts'
import { createAccount } from '../support/people.ts'
import { getFixture } from './fixtures.ts'
import { createPermittedCaller } from './requests.ts'
import { readChecksums } from './row-checksums.ts'

/** Create an account, a user who may call the operation, and a valid request. `rows` reads the account's checksums. */
export async function createRequestSetup(service: Service, op: AnyOperation) {
  const account = await createAccount(service)
  const person = await createPermittedCaller(op, account)
  const sample = await getFixture(op)(service, person)
  return { account, person, sample, rows: () => readChecksums(service, account.id) }
}
