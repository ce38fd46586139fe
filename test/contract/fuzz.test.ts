import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { operations } from '../../functions/operations.ts'
import { parseRate } from '../../lib/cache/limiter.ts'
import type { AnyOperation } from '../../lib/http/operation.ts'
import { sharedService } from '../support/app.ts'
import { createAccount, type Person, type TestAccount } from '../support/people.ts'
import { randomIpAddress } from '../support/public-requests.ts'
import type { Sample } from './fixture-rows.ts'
import { getFixture } from './fixtures.ts'
import { type FuzzRequest, sendFuzzRequest, toCurl, toFuzzRequest } from './fuzz-request.ts'
import { type FuzzPlan, firstPlans, fuzzPlans } from './generators.ts'
import { createPermittedCaller, listIds, roles } from './requests.ts'
import { findFault, type RawResponse } from './response-check.ts'
import { readChecksums } from './row-checksums.ts'

const service = sharedService()
const cases = Number(process.env.FUZZ_CASES ?? 30)
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))
console.log(`Fuzzing ${operations.length} operations, ${cases} cases each: npm run fuzz -- --cases ${cases} --seed ${seed}`)

/** Operations whose success starts a push to a ticket, mails or an assessment. */
const startsJobs = new Set(['ai.handoffs.create', 'ai.handoffs.escalate', 'ai.outputs.push', 'ai.outputs.retryPush', 'ai.sessions.resolve'])

/** Ids from earlier answers of all operations, which a caller could know. */
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
  /** A valid request of the other account. Its ids must be unreachable for ours. */
  foreign?: Promise<Sample>
}

async function createAccounts(): Promise<FuzzAccounts> {
  return { ours: await createAccount(service), theirs: await createAccount(service), people: new Map(), samples: new Map() }
}

/** Choose the sender of a case: the same person until the limit is exceeded, then another one. */
async function chooseSender(op: AnyOperation, world: FuzzAccounts, sender: FuzzPlan['sender']) {
  const max = op.limit === 'none' ? Number.POSITIVE_INFINITY : parseRate(op.limit).max
  const known = world.people.get(sender)
  const current =
    known && known.used <= max
      ? known
      : { person: await markChanged(world, createSender(op, world, sender)), address: randomIpAddress(), used: 0 }
  current.used++
  world.people.set(sender, current)
  return current
}

function createSender(op: AnyOperation, { ours, theirs }: FuzzAccounts, sender: FuzzPlan['sender']): Promise<Person> {
  if (sender === 'otherAccount') return createPermittedCaller(op, theirs)
  if (sender === 'permitted' || sender === 'anonymous' || sender === 'invalidToken') return createPermittedCaller(op, ours)
  return ours.addColleague(roles[sender].options)
}

function markChanged<T>(world: FuzzAccounts, made: Promise<T>): Promise<T> {
  world.rows = undefined
  return made
}

/** Return the owner's valid request. It is created again after a successful case, which may have used it up. */
async function getSample(op: AnyOperation, world: FuzzAccounts, owner: Person): Promise<Sample> {
  const sample = world.samples.get(owner) ?? (await markChanged(world, getFixture(op)(service, owner)))
  world.samples.set(owner, sample)
  return sample
}

/** Return the other account's valid request. It is created once, except for staff, who can use it up. */
function getForeignSample(op: AnyOperation, world: FuzzAccounts): Promise<Sample> {
  if (op.access === 'super_admin') return markChanged(world, getFixture(op)(service, world.theirs.admin))
  world.foreign ??= markChanged(world, getFixture(op)(service, world.theirs.admin))
  return world.foreign
}

/** Send one case. Throw the fault it finds, with a command that repeats the request. */
async function run(op: AnyOperation, world: FuzzAccounts, plan: FuzzPlan): Promise<RawResponse> {
  const { person, address } = await chooseSender(op, world, plan.sender)
  world.owner ??= await markChanged(world, createPermittedCaller(op, world.ours))
  const owner = plan.sender === 'otherAccount' ? world.owner : person
  const known = {
    sample: await getSample(op, world, owner),
    foreign: await getForeignSample(op, world),
    earlier: earlierIds,
    token: plan.sender === 'anonymous' ? null : person.token,
    address,
  }
  const shot = toFuzzRequest(service.api, op, plan, known)
  const before = world.rows ?? (await readRows(world))
  const given = await sendFuzzRequest(shot).catch((error: Error) => report(op, shot, `gave no answer: ${error} ${error.cause ?? ''}`))
  // A stranger requests rows of the other account by their ids. Staff may read them, and anyone may read the gallery.
  const reached =
    op.access !== 'super_admin' &&
    !op.id.startsWith('flows.gallery.') &&
    plan.sender === 'otherAccount' &&
    given.status < 300 &&
    listIds(known.sample).some((id) => mentions(shot, id))
  const fault = reached ? "let a stranger at another account's row" : findFault(op, given)
  if (fault) report(op, shot, fault, given)
  const isRefused = given.status >= 400
  if (!isRefused) world.samples.clear()
  world.rows = isRefused ? await readRows(world) : undefined
  if (isRefused && world.rows !== before) report(op, shot, `refused, and changed rows: ${before} became ${world.rows}`, given)
  return given
}

async function readRows({ ours, theirs }: FuzzAccounts): Promise<string> {
  return JSON.stringify(await readChecksums(service, ours.id, theirs.id))
}

function mentions({ url, body }: FuzzRequest, id: string): boolean {
  return url.includes(id) || (typeof body === 'string' && body.includes(id))
}

function report(op: AnyOperation, shot: FuzzRequest, what: string, given?: RawResponse): never {
  const answer = given ? `\n${given.status} ${given.text.slice(0, 1000)}` : ''
  throw new Error(`${op.id} ${what}${answer}\nnpm run fuzz -- --cases ${cases} --seed ${seed}\n${toCurl(shot)}`)
}

function rememberIds({ status, text }: RawResponse): void {
  if (status < 300) earlierIds.push(...(text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []).slice(0, 20))
  if (earlierIds.length > 500) earlierIds.splice(0, earlierIds.length - 500)
}

/** Run all cases of an operation. Return how often each status was answered. */
async function runCases(op: AnyOperation, ownSeed: number): Promise<Map<number, number>> {
  let world = await createAccounts()
  const statuses = new Map<number, number>()
  const property = fc.asyncProperty(fuzzPlans(op), async (plan) => {
    const given = await run(op, world, plan)
    statuses.set(given.status, (statuses.get(given.status) ?? 0) + 1)
    // Staff see ids of every account; a later case could demote the users of other tests.
    if (op.access !== 'super_admin') rememberIds(given)
    // A background job may change rows during the next case.
    if (given.status === 202 || (given.status < 300 && startsJobs.has(op.id))) world = await createAccounts()
  })
  // Cases depend on earlier ones, so a failing case is reported as it is, without shrinking.
  const settings = { numRuns: cases, seed: ownSeed, examples: firstPlans(op).map((plan): [FuzzPlan] => [plan]), endOnFailure: true }
  const { failed, errorInstance } = await fc.check(property, settings)
  if (failed) throw errorInstance
  return statuses
}

const all = operations.map((op, index) => [op.id, op, seed + index] as const)
const timeout = 60_000 + cases * 2000
const name = '%s answers every request as declared, and a refused request changes nothing'

async function check(_: string, op: AnyOperation, ownSeed: number): Promise<void> {
  const statuses = await runCases(op, ownSeed)
  const spread = `${op.id} ${JSON.stringify([...statuses].sort(([a], [b]) => a - b))}`
  if (process.env.FUZZ_CASES) console.log(spread)
  expect(statuses.get(429) ?? 0, `most cases stopped at the limit: ${spread}`).toBeLessThanOrEqual(cases / 2)
  expect(statuses.get(op.success) ?? 0, `no case succeeded: ${spread}`).toBeGreaterThan(0)
}

it.concurrent.each(all.filter(([, { access }]) => access !== 'super_admin'))(name, { timeout }, check)
// Staff change rows of every account, so these run one after the other.
it.each(all.filter(([, { access }]) => access === 'super_admin'))(name, { timeout }, check)
