// @module-tag shape
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { sharedService } from '#test/support/app.ts'
import { isNight, someByDay } from '#test/support/night.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'
import { parseRate } from '#vendors/cache/limiter.ts'
import type { Sample } from './fixture-rows.ts'
import { getFixture } from './fixtures.ts'
import { type FuzzRequest, sendFuzzRequest, toCurl, toFuzzRequest } from './fuzz-request.ts'
import { type FuzzPlan, firstPlans, fuzzPlans } from './generators.ts'
import { mayWrite } from './request-setup.ts'
import { createPermittedCaller, listIds, roles } from './requests.ts'
import { findFault, type RawResponse } from './response-check.ts'
import { readChecksums } from './row-checksums.ts'

const service = await sharedService()
/** Requests per operation. */
const cases = Number(process.env.FUZZ_CASES ?? (isNight ? 10 : 3))
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))
console.log(
  `Fuzzing ${operations.length} operations, ${cases} cases each: npm run fuzz -- --cases ${cases} --seed ${seed}`,
)

/** Operations whose success starts a push to a ticket, mails or an assessment. */
const startsJobs = new Set([
  'ai.handoffs.create',
  'ai.handoffs.escalate',
  'ai.outputs.push',
  'ai.outputs.retryPush',
  'ai.sessions.resolve',
  'runner.runs.requestApproval',
  'runner.runs.requestApprovalInAiSession',
  'oncall.substituteRequests.accept',
  'oncall.substituteRequests.create',
  'oncall.substituteRequests.decline',
  'scripts.approvals.request',
  'sessions.approvals.approve',
  'sessions.approvals.reject',
  'sessions.approvals.request',
])

/** Ids from earlier responses of all operations. A caller could know them. */
const earlierIds: string[] = []

interface FuzzAccounts {
  ours: TestAccount
  theirs: TestAccount
  people: Map<string, { person: Person; address: string; used: number }>
  /** Unused valid requests, by their sender. */
  samples: Map<Person, Sample>
  /** The owner of the rows that a stranger requests. */
  owner?: Person
  /** The checksums of both accounts' rows; undefined after a change. */
  rows?: string | undefined
  /** A valid request of the other account, whose ids must be unreachable for users of `ours`. */
  foreign?: Promise<Sample>
  /**
   * How many requests were prepared. Each may have made a row of a kind of which an account has at most 50.
   */
  prepared: number
}

const maxPrepared = 20

async function createAccounts(): Promise<FuzzAccounts> {
  return {
    ours: await createAccount(service),
    theirs: await createAccount(service),
    people: new Map(),
    samples: new Map(),
    prepared: 0,
  }
}

/** Choose the sender of a case: the same person until the limit is exceeded, then another one. */
async function chooseSender(op: AnyOperation, accounts: FuzzAccounts, sender: FuzzPlan['sender']) {
  const max = op.limit === 'none' ? Number.POSITIVE_INFINITY : parseRate(op.limit).max
  const known = accounts.people.get(sender)
  const current =
    known && known.used <= max
      ? known
      : {
          person: await markChanged(accounts, createSender(op, accounts, sender)),
          address: randomIpAddress(),
          used: 0,
        }
  current.used++
  accounts.people.set(sender, current)
  return current
}

function createSender(
  op: AnyOperation,
  { ours, theirs }: FuzzAccounts,
  sender: FuzzPlan['sender'],
): Promise<Person> {
  if (sender === 'otherAccount') return createPermittedCaller(op, theirs)
  if (sender === 'permitted' || sender === 'anonymous' || sender === 'invalidToken')
    return createPermittedCaller(op, ours)
  return ours.addColleague(roles[sender].options)
}

function markChanged<T>(accounts: FuzzAccounts, change: Promise<T>): Promise<T> {
  accounts.rows = undefined
  return change
}

/**
 * Return the owner's valid request. It is created again after a successful case, which may have used it up.
 */
async function getSample(op: AnyOperation, accounts: FuzzAccounts, owner: Person): Promise<Sample> {
  const known = accounts.samples.get(owner)
  if (known) return known
  accounts.prepared++
  const sample = await markChanged(accounts, getFixture(op)(service, owner))
  accounts.samples.set(owner, sample)
  return sample
}

/** Return the other account's valid request. It is created once, except for staff, who can use it up. */
function getForeignSample(op: AnyOperation, accounts: FuzzAccounts): Promise<Sample> {
  if (op.access !== 'super_admin') {
    accounts.foreign ??= markChanged(accounts, getFixture(op)(service, accounts.theirs.admin))
    return accounts.foreign
  }
  accounts.prepared++
  return markChanged(accounts, getFixture(op)(service, accounts.theirs.admin))
}

/** Send one case. Throw the fault it finds, with a command that repeats the request. */
async function runCase(op: AnyOperation, accounts: FuzzAccounts, plan: FuzzPlan): Promise<RawResponse> {
  const { person, address } = await chooseSender(op, accounts, plan.sender)
  accounts.owner ??= await markChanged(accounts, createPermittedCaller(op, accounts.ours))
  const owner = plan.sender === 'otherAccount' ? accounts.owner : person
  const known = {
    sample: await getSample(op, accounts, owner),
    foreign: await getForeignSample(op, accounts),
    earlier: earlierIds,
    token: plan.sender === 'anonymous' ? null : person.token,
    address,
  }
  const fuzzRequest = toFuzzRequest(service.api, op, plan, known)
  const before = accounts.rows ?? (await readRows(op, accounts))
  const response = await sendFuzzRequest(fuzzRequest).catch((error: Error) =>
    report(op, fuzzRequest, `returned no response: ${error} ${error.cause ?? ''}`),
  )
  // A stranger requests rows of the other account by their ids. Staff may read them, and anyone may read the
  // gallery.
  const isForeignRowReached =
    op.access !== 'super_admin' &&
    !op.id.startsWith('flows.gallery.') &&
    plan.sender === 'otherAccount' &&
    response.status < 300 &&
    listIds(known.sample).some((id) => mentions(fuzzRequest, id))
  const fault = isForeignRowReached
    ? "gave a stranger access to another account's row"
    : findFault(op, response)
  if (fault) report(op, fuzzRequest, fault, response)
  const isRefused = response.status >= 400
  if (!isRefused) accounts.samples.clear()
  accounts.rows = isRefused ? await readRows(op, accounts) : undefined
  if (isRefused && accounts.rows !== before)
    report(
      op,
      fuzzRequest,
      `refused the request but changed rows: ${before} became ${accounts.rows}`,
      response,
    )
  return response
}

async function readRows(op: AnyOperation, { ours, theirs }: FuzzAccounts): Promise<string> {
  if (!mayWrite(op)) return ''
  return JSON.stringify(await readChecksums(service, ours.id, theirs.id))
}

function mentions({ url, body }: FuzzRequest, id: string): boolean {
  return url.includes(id) || (typeof body === 'string' && body.includes(id))
}

function report(op: AnyOperation, fuzzRequest: FuzzRequest, problem: string, response?: RawResponse): never {
  const responseText = response ? `\n${response.status} ${response.text.slice(0, 1000)}` : ''
  throw new Error(
    `${op.id} ${problem}${responseText}\nnpm run fuzz -- --cases ${cases} --seed ${seed}\n${toCurl(fuzzRequest)}`,
  )
}

function rememberIds({ status, text }: RawResponse): void {
  if (status < 300)
    earlierIds.push(...(text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []).slice(0, 20))
  if (earlierIds.length > 500) earlierIds.splice(0, earlierIds.length - 500)
}

/** Run all cases of an operation. Return the number of responses by status. */
async function runCases(op: AnyOperation, ownSeed: number): Promise<Map<number, number>> {
  let accounts = await createAccounts()
  const statuses = new Map<number, number>()
  const property = fc.asyncProperty(fuzzPlans(op), async (plan) => {
    const response = await runCase(op, accounts, plan)
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    // Staff see ids of every account; a later case could demote the users of other tests.
    if (op.access !== 'super_admin') rememberIds(response)
    // A background job may change rows during the next case.
    const startedJob = response.status === 202 || (response.status < 300 && startsJobs.has(op.id))
    if (startedJob || accounts.prepared >= maxPrepared) accounts = await createAccounts()
  })
  // Cases depend on earlier ones, so a failing case is reported as it is, without shrinking.
  const settings = {
    numRuns: cases,
    seed: ownSeed,
    examples: firstPlans(op).map((plan): [FuzzPlan] => [plan]),
    endOnFailure: true,
  }
  const { failed, errorInstance } = await fc.check(property, settings)
  if (failed) throw errorInstance
  return statuses
}

const operationCases = someByDay(
  operations.map((op, index) => [op.id, op, seed + index] as const),
  process.env.FUZZ_CASES ? operations.length : 60,
)
const timeout = 60_000 + cases * 2000
const name = '%s returns only responses that it declares, and changes nothing when it refuses a request'

async function check(_: string, op: AnyOperation, ownSeed: number): Promise<void> {
  const statuses = await runCases(op, ownSeed)
  const spread = `${op.id} ${JSON.stringify([...statuses].sort(([a], [b]) => a - b))}`
  if (process.env.FUZZ_CASES) console.log(spread)
  expect(statuses.get(429) ?? 0, `most cases stopped at the limit: ${spread}`).toBeLessThanOrEqual(cases / 2)
  expect(statuses.get(op.success) ?? 0, `no case succeeded: ${spread}`).toBeGreaterThan(0)
}

it.concurrent.each(operationCases.filter(([, { access }]) => access !== 'super_admin'))(
  name,
  { timeout },
  check,
)
// Staff change rows of every account, so these run one after the other.
it.each(operationCases.filter(([, { access }]) => access === 'super_admin'))(name, { timeout }, check)
