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
import { fixtureOf } from './fixtures.ts'
import { firstPlans, type Plan, plansOf } from './generators.ts'
import { idsOf, permitted, roles } from './requests.ts'
import { rowsOf } from './rows.ts'
import { curlOf, fire, type Shot, shotOf } from './shot.ts'
import { faultOf, type Given } from './verdict.ts'

const service = sharedService()
const cases = Number(process.env.FUZZ_CASES ?? 30)
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))
console.log(`Fuzzing ${operations.length} operations, ${cases} cases each: npm run fuzz -- --cases ${cases} --seed ${seed}`)

/** Whose success is followed by a push to a ticket, mails or an assessment. */
const setsJobsGoing = new Set([
  'ai.handoffs.create',
  'ai.handoffs.escalate',
  'ai.outputs.push',
  'ai.outputs.retryPush',
  'ai.sessions.resolve',
])

/** Ids of answers so far, of all operations: what a caller could know. */
const earlier: string[] = []

interface World {
  ours: TestAccount
  theirs: TestAccount
  people: Map<string, { person: Person; address: string; used: number }>
  /** Valid requests that nothing has used up since they were made, by whose they are. */
  samples: Map<Person, Sample>
  /** Whose rows a stranger asks for. */
  owner?: Person
  /** What both accounts hold, until something is made in them or let in. */
  rows?: string | undefined
  /** A request of theirs, whose ids are what nobody of ours may reach. */
  foreign?: Promise<Sample>
}

async function newWorld(): Promise<World> {
  return { ours: await createAccount(service), theirs: await createAccount(service), people: new Map(), samples: new Map() }
}

/** Who sends a case: the same person until the limit is a little exceeded, then a fresh one. */
async function sender(op: AnyOperation, world: World, who: Plan['who']) {
  const max = op.limit === 'none' ? Number.POSITIVE_INFINITY : parseRate(op.limit).max
  const known = world.people.get(who)
  const current =
    known && known.used <= max ? known : { person: await making(world, arrive(op, world, who)), address: randomIpAddress(), used: 0 }
  current.used++
  world.people.set(who, current)
  return current
}

function arrive(op: AnyOperation, { ours, theirs }: World, who: Plan['who']): Promise<Person> {
  if (who === 'stranger') return permitted(op, theirs)
  if (who === 'permitted' || who === 'nobody' || who === 'garbage') return permitted(op, ours)
  return ours.addColleague(roles[who].is)
}

function making<T>(world: World, made: Promise<T>): Promise<T> {
  world.rows = undefined
  return made
}

/** A valid request of the owner's, made anew once a request has been let in: it may have used up any. */
async function sampleOf(op: AnyOperation, world: World, owner: Person): Promise<Sample> {
  const sample = world.samples.get(owner) ?? (await making(world, fixtureOf(op)(service, owner)))
  world.samples.set(owner, sample)
  return sample
}

/** Made once where nobody reaches it; staff do, and use it up. */
function foreignOf(op: AnyOperation, world: World): Promise<Sample> {
  if (op.access === 'super_admin') return making(world, fixtureOf(op)(service, world.theirs.admin))
  world.foreign ??= making(world, fixtureOf(op)(service, world.theirs.admin))
  return world.foreign
}

/** Makes a case, sends it, and throws what it found together with a line that sends it again. */
async function run(op: AnyOperation, world: World, plan: Plan): Promise<Given> {
  const { person, address } = await sender(op, world, plan.who)
  world.owner ??= await making(world, permitted(op, world.ours))
  const owner = plan.who === 'stranger' ? world.owner : person
  const known = {
    sample: await sampleOf(op, world, owner),
    foreign: await foreignOf(op, world),
    earlier,
    token: plan.who === 'nobody' ? null : person.token,
    address,
  }
  const shot = shotOf(service.api, op, plan, known)
  const before = world.rows ?? (await rows(world))
  const given = await fire(shot).catch((error: Error) => report(op, shot, `gave no answer: ${error} ${error.cause ?? ''}`))
  // A stranger asks for rows of the other account, by their very ids; staff may, and everybody sees what the gallery shows.
  const reached =
    op.access !== 'super_admin' &&
    !op.id.startsWith('flows.gallery.') &&
    plan.who === 'stranger' &&
    given.status < 300 &&
    idsOf(known.sample).some((id) => names(shot, id))
  const fault = reached ? "let a stranger at another account's row" : faultOf(op, given)
  if (fault) report(op, shot, fault, given)
  const isRefused = given.status >= 400
  if (!isRefused) world.samples.clear()
  world.rows = isRefused ? await rows(world) : undefined
  if (isRefused && world.rows !== before) report(op, shot, `refused, and changed rows: ${before} became ${world.rows}`, given)
  return given
}

async function rows({ ours, theirs }: World): Promise<string> {
  return JSON.stringify(await rowsOf(service, ours.id, theirs.id))
}

function names({ url, body }: Shot, id: string): boolean {
  return url.includes(id) || (typeof body === 'string' && body.includes(id))
}

function report(op: AnyOperation, shot: Shot, what: string, given?: Given): never {
  const answer = given ? `\n${given.status} ${given.text.slice(0, 1000)}` : ''
  throw new Error(`${op.id} ${what}${answer}\nnpm run fuzz -- --cases ${cases} --seed ${seed}\n${curlOf(shot)}`)
}

function remember({ status, text }: Given): void {
  if (status < 300) earlier.push(...(text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []).slice(0, 20))
  if (earlier.length > 500) earlier.splice(0, earlier.length - 500)
}

/** Runs all cases of an operation; answers how often it gave which status. */
async function statusesOf(op: AnyOperation, ownSeed: number): Promise<Map<number, number>> {
  let world = await newWorld()
  const statuses = new Map<number, number>()
  const property = fc.asyncProperty(plansOf(op), async (plan) => {
    const given = await run(op, world, plan)
    statuses.set(given.status, (statuses.get(given.status) ?? 0) + 1)
    // What staff see is everybody's, and other tests' people would be demoted.
    if (op.access !== 'super_admin') remember(given)
    // What goes on in the background may change rows under the next case.
    if (given.status === 202 || (given.status < 300 && setsJobsGoing.has(op.id))) world = await newWorld()
  })
  // Cases build on one another, so the first finding is told as it is instead of being made smaller.
  const settings = { numRuns: cases, seed: ownSeed, examples: firstPlans(op).map((plan): [Plan] => [plan]), endOnFailure: true }
  const { failed, errorInstance } = await fc.check(property, settings)
  if (failed) throw errorInstance
  return statuses
}

const all = operations.map((op, index) => [op.id, op, seed + index] as const)
const timeout = 60_000 + cases * 2000
const name = '%s answers every request as it declares, and a refused one changes nothing'

async function check(_: string, op: AnyOperation, ownSeed: number): Promise<void> {
  const statuses = await statusesOf(op, ownSeed)
  const spread = `${op.id} ${JSON.stringify([...statuses].sort(([a], [b]) => a - b))}`
  if (process.env.FUZZ_CASES) console.log(spread)
  expect(statuses.get(429) ?? 0, `most cases stopped at the limit: ${spread}`).toBeLessThanOrEqual(cases / 2)
  expect(statuses.get(op.success) ?? 0, `no case succeeded: ${spread}`).toBeGreaterThan(0)
}

it.concurrent.each(all.filter(([, { access }]) => access !== 'super_admin'))(name, { timeout }, check)
// Staff reach into every account, and so into the one that another operation has just counted.
it.each(all.filter(([, { access }]) => access === 'super_admin'))(name, { timeout }, check)
